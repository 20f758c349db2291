// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/json_files.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/scalar.hpp"

namespace espalier::internal {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Maximum depth of a document. Files of Espalier have at most six levels. Copying and writing a
/// document needs stack space per level.
constexpr int most_levels = 64;

bool may_go_on(int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
  if (depth > most_levels) throw std::domain_error("is nested too deeply");
  return true;
}

}  // namespace

Json OwnJson::header() const { return {{key, version}}; }

void OwnJson::parse(const std::string& text, const std::string& name, const Take& take) const {
  try {
    const Json json = Json::parse(text, may_go_on);
    if (json.at(key) != version) refuse(name, "was written by another version");
    take(json);
  } catch (const Json::exception& error) {
    refuse(name, std::string("is damaged (") + error.what() + ")");
  } catch (const std::domain_error& error) {
    refuse(name, error.what());
  }
}

std::string OwnJson::read(const std::string& path) const {
  errno = 0;
  std::ifstream in(path);
  if (!in) refuse(path, "cannot be read (" + std::generic_category().message(errno) + ")");
  if (in.peek() == std::ifstream::traits_type::eof() && !in.bad()) refuse(path, "is empty");
  std::ostringstream text;
  if (!(text << in.rdbuf())) refuse(path, "cannot be read");
  return text.str();
}

namespace {

/// Throws InputError if a folder above `path` exists as something else, for example as a file. The
/// message names this file and all kinds of files that cannot be stored below it.
[[noreturn]] void refuse_folder(const std::string& path) {
  std::error_code error;
  fs::path folder = fs::path(path).parent_path();
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  throw InputError(folder.string() +
                   " is not a folder, so calibrations and tunings are neither found nor stored "
                   "there; remove it, or set XDG_DATA_HOME to another folder");
}

}  // namespace

bool OwnJson::is_there(const std::string& path) const {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error == std::errc::no_such_file_or_directory) return false;
  if (error == std::errc::not_a_directory) refuse_folder(path);
  if (error) refuse(path, "cannot be read (" + error.message() + ")");
  if (!fs::is_regular_file(status)) refuse(path, "is not a file");
  return true;
}

void OwnJson::refuse(const std::string& name, const std::string& why) const {
  throw InputError(std::string(what) + " " + name + " " + why + "; " + remedy);
}

namespace {

template <class Integer>
Integer whole(const Json& json) {
  if (json.is_number_integer() && std::in_range<Integer>(json.get<std::int64_t>()) &&
      (!json.is_number_unsigned() || std::in_range<Integer>(json.get<std::uint64_t>()))) {
    return json.get<Integer>();
  }
  throw std::domain_error("has " + json.dump() + " where a whole number is expected");
}

}  // namespace

void take_whole(const Json& json, std::int32_t& value) { value = whole<std::int32_t>(json); }
void take_whole(const Json& json, std::int64_t& value) { value = whole<std::int64_t>(json); }

namespace {
constexpr const char* scalar_key = "scalar";
}

void put_scalar(Json& json) { json[scalar_key] = scalar.name; }

void expect_scalar(const Json& json) {
  const std::string name = json.value(scalar_key, "double");
  if (name == scalar.name) return;
  throw std::domain_error("has the costs of " + name + " instead of " + scalar.name);
}

void to_json(Json& json, const CostGrid& grid) {
  json = {{"classes", grid.classes}, {"seconds_per_operation", grid.seconds}};
}

void from_json(const Json& json, CostGrid& grid) {
  const Json& classes = json.at("classes");
  for (std::size_t i = 0; i < grid.classes.size(); ++i) take(classes.at(i), grid.classes[i]);
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
