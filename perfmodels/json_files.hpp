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

/// What there is of a file that is looked for without being asked for.
template <class File>
struct OwnFile {
  std::optional<File> content;  ///< nothing where there is no file, or one of no use
  std::string warning{};        ///< which file is of no use, why, and what to do, in one line
};

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

  /// Returns what read(path) makes of the user's own file, where there is one. One that it refuses
  /// is left out, because nobody has asked for it, and so is what is no file: a device or a pipe
  /// may have no end.
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

  /// The same for a file that serves machines with such a processor.
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
  /// Throws InputError where something is in the way.
  bool is_there(const std::string& path) const;
};

/// Sets a whole number. Throws std::domain_error where there is another number, or one beyond the
/// type: the library of JSON would cut it off.
void take_whole(const nlohmann::ordered_json& json, std::int32_t& value);
void take_whole(const nlohmann::ordered_json& json, std::int64_t& value);

/// Sets a value of any type that files have, whole numbers as above.
template <class Json, class Value>
void take(const Json& json, Value& value) {
  if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
    take_whole(json, value);
  } else {
    json.get_to(value);
  }
}

/// Writes of which scalar the costs in a file are.
void put_scalar(nlohmann::ordered_json& json);
/// Throws std::domain_error if a file has the costs of another scalar. Without the key they are
/// those of double.
void expect_scalar(const nlohmann::ordered_json& json);

void to_json(nlohmann::ordered_json& json, const CostGrid& grid);
void from_json(const nlohmann::ordered_json& json, CostGrid& grid);

/// Returns where this user keeps what was found out about this machine: KIND-HOST.json in
/// $XDG_DATA_HOME/espalier, else in ~/.local/share/espalier; empty where there is neither.
std::string user_file(const std::string& kind);

}  // namespace espalier::internal
