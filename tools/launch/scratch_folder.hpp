// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace espalier::internal {

/// A folder of its own among temporary files, as long as it lives.
class ScratchFolder {
 public:
  /// Throws RuntimeFailure where it cannot be made.
  ScratchFolder();
  ~ScratchFolder() { remove(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const char* name) const { return path_ / name; }
  /// Removes it now, with all that is in it.
  void remove() const;

 private:
  std::filesystem::path path_;
};

}  // namespace espalier::internal
