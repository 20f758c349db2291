// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "espalier/error.hpp"

namespace espalier {

/// A kind of files in JSON that Espalier wrote itself. What is wrong with one is an InputError.
struct OwnJson {
  const char* what;    ///< for messages
  const char* key;     ///< holds the version
  int version;         ///< of the layout and meaning
  const char* remedy;  ///< where a file is of no use

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const {
    throw InputError(std::string(what) + " " + name + " " + why + "; " + remedy);
  }

  std::string read(const std::string& path) const {
    std::ifstream in(path);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf())) refuse(path, "cannot be read");
    return text.str();
  }

  /// What take(json) makes of the text of the file `name`.
  template <class Take>
  auto parse(const std::string& text, const std::string& name, Take take) const {
    try {
      const auto json = nlohmann::ordered_json::parse(text);
      if (json.at(key) != version) refuse(name, "was written by another version");
      return take(json);
    } catch (const nlohmann::json::exception& error) {
      refuse(name, std::string("is damaged (") + error.what() + ")");
    }
  }
};

/// Where this user keeps what was found out about this machine: KIND-HOST.json in
/// $XDG_DATA_HOME/espalier, else in ~/.local/share/espalier; empty where there is neither.
std::string user_file(const std::string& kind);

}  // namespace espalier
