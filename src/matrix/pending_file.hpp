// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace espalier::internal {

/// A new file that is not there for others until it is published. It has no name meanwhile, so that
/// not even SIGKILL leaves anything of it; a file system that has no such files (O_TMPFILE) gives
/// it a name of its own, ".espalier-PROCESS-NUMBER", in the folder where it shall be.
///
/// What is there under its name stays until then; its permissions go over to the new file, and its
/// owner and group where this user may give files to them. A symbolic link is followed. An existing
/// device or pipe, and a file that is this process's standard output or error already, is written
/// to directly, and publishing it does nothing.
class PendingFile {
 public:
  /// Whether folders that are missing on the way are made; they are removed again with the file.
  enum class Folders { expected, made };
  /// A named one needs no descriptor once it is closed, but SIGKILL leaves it.
  enum class Kept { without_name, with_name };

  /// Throws InputError, which names the path as it was given, where no file can be made.
  PendingFile(const std::string& path, Folders folders, Kept kept);
  /// Removes the file unless it was kept.
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// Has the system write all of it to the disk. Returns 0, or what went wrong.
  int synchronize();

  /// Has every file appear under its name, or none, one after the other. Returns the first that
  /// cannot, with errno set, or null. A file that has replaced another one by then stays.
  ///
  /// Where something has the name, the new file has a name of its own for an instant, because
  /// Linux gives a name to a file, or replaces one by another, but not both in one.
  static const PendingFile* publish(const std::vector<PendingFile*>& files);

 private:
  void open(const std::string& path, Kept kept);
  void make_folders();
  void create(Kept kept);
  int create_named(const std::string& folder);
  void take_over_permissions();
  bool publish();
  bool link_to(const std::string& name) const;
  void withdraw();

  std::string target_;                          ///< links resolved
  std::string named_;                           ///< the name that it has meanwhile, if any
  std::vector<std::filesystem::path> folders_;  ///< those made, innermost first
  int descriptor_ = -1;
  bool is_direct_ = false;
  bool is_new_ = false;  ///< it is published where nothing was before
  bool is_published_ = false;
};

/// Removes all that would be left of files that are not published, and lets none be made or
/// published after that: whoever tries waits for ever. For a thread that is about to end the
/// process otherwise than by returning. Files that are just being published are waited for, but no
/// longer than that time.
void remove_pending_files(std::chrono::milliseconds at_most);

}  // namespace espalier::internal
