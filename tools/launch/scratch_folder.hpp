// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace espalier::internal {

/// A private temporary folder, removed with this object.
class ScratchFolder {
 public:
  /// Throws RuntimeFailure if the folder cannot be created.
  ScratchFolder();
  ~ScratchFolder() { remove(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const char* name) const { return path_ / name; }
  /// Removes the folder now, with its content.
  void remove() const;

 private:
  std::filesystem::path path_;
};

}  // namespace espalier::internal
