// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/json_files.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "espalier/error.hpp"

namespace espalier::internal {

using Json = nlohmann::ordered_json;

Json OwnJson::header() const { return {{key, version}}; }

void OwnJson::parse(const std::string& text, const std::string& name, const Take& take) const {
  try {
    const Json json = Json::parse(text);
    if (json.at(key) != version) refuse(name, "was written by another version");
    take(json);
  } catch (const Json::exception& error) {
    refuse(name, std::string("is damaged (") + error.what() + ")");
  } catch (const std::domain_error& error) {
    refuse(name, error.what());
  }
}

std::string OwnJson::read(const std::string& path) const {
  std::ifstream in(path);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) refuse(path, "cannot be read");
  return text.str();
}

void OwnJson::refuse(const std::string& name, const std::string& why) const {
  throw InputError(std::string(what) + " " + name + " " + why + "; " + remedy);
}

void to_json(Json& json, const CostGrid& grid) {
  json = {{"classes", grid.classes}, {"seconds_per_operation", grid.seconds}};
}

void from_json(const Json& json, CostGrid& grid) {
  json.at("classes").get_to(grid.classes);
  json.at("seconds_per_operation").get_to(grid.seconds);
}

std::string user_file(const std::string& kind) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string name = "/espalier/" + kind + "-" + host.data() + ".json";
  const char* const data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return data + name;
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return std::string(home) + "/.local/share" + name;
  return "";
}

}  // namespace espalier::internal
