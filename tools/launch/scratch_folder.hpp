// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace espalier::internal {

/// A private temporary folder, removed with this object, or by remove_all().
class ScratchFolder {
 public:
  /// Throws RuntimeFailure if the folder cannot be created.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const char* name) const { return path_ / name; }
  /// Removes the folder now, with its content.
  void remove() const;
  /// Removes the folders of all objects of this process. Called before a signal ends the program.
  static void remove_all();

 private:
  std::filesystem::path path_;
};

}  // namespace espalier::internal
