// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/cost_table.hpp"

namespace espalier::internal {

/// A kind of files in JSON that Espalier wrote itself. What is wrong with one is an InputError.
struct OwnJson {
  const char* what;    ///< what messages call such a file
  const char* key;     ///< the member that holds the version
  int version;         ///< that of the files' layout and meaning
  const char* remedy;  ///< what messages advise where a file is of no use

  /// Returns what the text of such a file begins with.
  nlohmann::ordered_json header() const;

  /// Calls take(json) with the content of the text of the file `name`. `take` throws what is wrong
  /// with it as std::domain_error, whose text goes on after the name, or as an exception of JSON.
  using Take = std::function<void(const nlohmann::ordered_json&)>;
  void parse(const std::string& text, const std::string& name, const Take& take) const;

  /// Returns the text of the file.
  std::string read(const std::string& path) const;

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;
};

/// Returns what read(path) makes of the user's file, where there is one and it was made on such a
/// processor.
template <class Read>
auto read_own(const std::string& path, const std::string& cpu, Read read) {
  std::optional<decltype(read(path))> file;
  if (std::error_code error; std::filesystem::exists(path, error)) file = read(path);
  if (file && file->cpu != cpu) file.reset();
  return file;
}

void to_json(nlohmann::ordered_json& json, const CostGrid& grid);
void from_json(const nlohmann::ordered_json& json, CostGrid& grid);

/// Returns where this user keeps what was found out about this machine: KIND-HOST.json in
/// $XDG_DATA_HOME/espalier, else in ~/.local/share/espalier; empty where there is neither.
std::string user_file(const std::string& kind);

}  // namespace espalier::internal
