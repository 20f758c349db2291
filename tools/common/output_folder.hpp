// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace espalier {

/// A folder for output files, made with its parents where it is missing. Those that were made and
/// are empty in the end, after a failure, are removed.
class OutputFolder {
 public:
  /// Does nothing for an empty path. Throws InputError where the folder cannot be made.
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  ///< innermost first
};

}  // namespace espalier
