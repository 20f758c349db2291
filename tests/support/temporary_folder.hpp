// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::internal::support {

/// A new empty folder. The destructor removes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Returns the path of a file in the folder, which need not exist.
  std::string path(std::string_view name) const { return (folder_ / name).string(); }

  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view content) const;
  std::string write_gzipped(std::string_view name, std::string_view content) const;

  std::vector<std::string> file_names() const;

 private:
  std::filesystem::path folder_;
};

std::string read_file(const std::string& path);

}  // namespace espalier::internal::support
