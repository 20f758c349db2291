// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace espalier::internal {

/// New file that other processes cannot see until it is published. Until then it has no name, so
/// that nothing remains even after SIGKILL. If the file system does not support this (O_TMPFILE),
/// the file has the temporary name ".espalier-PROCESS-NUMBER" in its target folder.
///
/// An existing file under the target name stays until publication. The new file gets the
/// permissions of the existing one and, if this user may set them, its owner and group. A symbolic
/// link is followed. An existing device or pipe is written to directly, and publishing does nothing
/// then. The same holds for a file that is already the standard output or error of this process.
class PendingFile {
 public:
  /// Whether missing folders of the path are made. If the file is not published, they are removed
  /// with it.
  enum class Folders { expected, made };
  /// Whether the file has a temporary name. If it has one, synchronize() closes its descriptor, but
  /// the file remains after SIGKILL.
  enum class Kept { without_name, with_name };

  /// Throws InputError with the given path if the file cannot be created.
  PendingFile(const std::string& path, Folders folders, Kept kept);
  /// Removes the file unless it was published.
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// Makes the system write all data to the disk. Returns 0 or an errno value.
  int synchronize();

  /// Makes all files appear under their names, one after the other, or none. Returns the first file
  /// that cannot appear, with errno set, or null. If a file has replaced an existing one before the
  /// failure, the replacement stays.
  ///
  /// If the name already exists, the new file has a temporary name for an instant. Linux can give a
  /// name to a file, or replace one file by another, but not both in one step.
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

  std::string target_;                          ///< with links resolved
  std::string named_;                           ///< its temporary name, if any
  std::vector<std::filesystem::path> folders_;  ///< the folders that were made, innermost first
  int descriptor_ = -1;
  bool is_direct_ = false;
  bool is_new_ = false;  ///< no file had its name; false once all files are published
  bool is_published_ = false;
};

/// Removes all traces of unpublished files. Afterwards no file or folder can get a name: a thread
/// that tries to create or publish one waits forever. Call it on a thread that is about to end the
/// process without returning from main(). The call waits for a publication in progress, but at most
/// for the given time. If the publication takes longer, nothing is removed.
void remove_pending_files(std::chrono::milliseconds at_most);

}  // namespace espalier::internal
