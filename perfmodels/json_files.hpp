// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/caught_error.hpp"
#include "base/cost_table.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

/// Content of an optional file, which Espalier reads although no option names it.
template <class File>
struct OwnFile {
  std::optional<File> content;  ///< empty if the file does not exist or cannot be used
  /// One line with the name of a file that cannot be used, the reason and a remedy.
  std::string warning{};
};

/// A kind of JSON file that Espalier writes. An error in such a file is an InputError.
struct OwnJson {
  const char* what;    ///< name of such a file in messages
  const char* key;     ///< key of the version
  int version;         ///< version of the layout and the meaning of the file
  const char* remedy;  ///< advice in messages about a file that cannot be used

  /// Returns the header of such a file, with its version.
  nlohmann::ordered_json header() const;

  /// Calls take(json) with the content of `text`, which is the text of the file `name`. If the
  /// content is wrong, take() throws an exception of JSON, or a std::domain_error whose text
  /// continues a sentence that begins with the name of the file.
  using Take = std::function<void(const nlohmann::ordered_json&)>;
  void parse(const std::string& text, const std::string& name, const Take& take) const;

  /// Returns the text of the file. Throws InputError if it cannot be read.
  std::string read(const std::string& path) const;

  /// Returns the result of read(path) for an optional file of the user. If read() refuses the file,
  /// the result has no content but a warning, because no option asked for the file. Anything that
  /// is not a regular file is also refused: a device or a pipe may have no end.
  template <class Read>
  auto read_own(const std::string& path, Read read) const {
    OwnFile<decltype(read(path))> own;
    try {
      if (is_there(path)) own.content = read(path);
    } catch (const InputError&) {
      own.warning = current_error().message;
    }
    return own;
  }

  /// Reads a file in the same way, but refuses it if it was made on another processor.
  template <class Read>
  auto read_own(const std::string& path, const std::string& cpu, Read read) const {
    return read_own(path, [&](const std::string& name) {
      auto file = read(name);
      if (file.cpu != cpu) refuse(name, "was made on another processor");
      return file;
    });
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

 private:
  /// Returns whether the file exists. Throws InputError if there is something else in its place.
  bool is_there(const std::string& path) const;
};

/// Sets a whole number. Throws std::domain_error if the JSON value is not a whole number or is out
/// of the range of the type; the JSON library itself would truncate it.
void take_whole(const nlohmann::ordered_json& json, std::int32_t& value);
void take_whole(const nlohmann::ordered_json& json, std::int64_t& value);

/// Sets a value of any type that files have. Whole numbers are checked as above.
template <class Json, class Value>
void take(const Json& json, Value& value) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    take_whole(json, value);
  } else {
    json.get_to(value);
  }
}

/// Writes the scalar type of the costs in a file.
void put_scalar(nlohmann::ordered_json& json);
/// Throws std::domain_error if a file has the costs of another scalar type. Files without the key
/// have costs of double.
void expect_scalar(const nlohmann::ordered_json& json);

void to_json(nlohmann::ordered_json& json, const CostGrid& grid);
void from_json(const nlohmann::ordered_json& json, CostGrid& grid);

/// Returns the path of the user's file KIND-HOST.json about this machine. The folder is
/// $XDG_DATA_HOME/espalier, or else ~/.local/share/espalier. The path is empty if neither
/// XDG_DATA_HOME nor HOME is set.
std::string user_file(const std::string& kind);

}  // namespace espalier::internal
