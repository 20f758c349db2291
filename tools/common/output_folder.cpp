// SPDX-License-Identifier: BSD-3-Clause
#include "common/output_folder.hpp"

#include <system_error>

#include "espalier/error.hpp"

namespace espalier {

namespace fs = std::filesystem;

OutputFolder::OutputFolder(const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  for (fs::path folder = whole; !fs::exists(folder, error); folder = folder.parent_path()) {
    if (folder.has_filename()) made_.push_back(folder);
  }
  fs::create_directories(whole, error);
  if (!error && !fs::is_directory(whole, error)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) throw InputError(path + ": the folder cannot be made (" + error.message() + ")");
}

OutputFolder::~OutputFolder() {
  std::error_code error;
  for (const fs::path& folder : made_) fs::remove(folder, error);
}

}  // namespace espalier
