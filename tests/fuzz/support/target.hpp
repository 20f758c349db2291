// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/caught_error.hpp"
#include "espalier/error.hpp"
#include "support/mutation.hpp"

namespace espalier::fuzz {

using Bytes = std::span<const std::uint8_t>;

inline std::string text_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// Returns a number that depends on all bytes. A target uses it to select variants.
std::uint32_t hash_of(Bytes bytes);

/// If the condition does not hold, prints a message and aborts, which ends the search with this
/// input.
void expect(bool kept, const std::string& what);

/// Counts the outcomes of the inputs, and prints them in one line when the process ends.
class Tally {
 public:
  explicit Tally(std::string target) : target_(std::move(target)) {}
  ~Tally();
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  void input() { ++inputs_; }
  /// Counts an outcome. An input may have several.
  void note(const std::string& outcome) { ++outcomes_[outcome]; }

 private:
  std::string target_;
  std::uint64_t inputs_ = 0;
  std::map<std::string, std::uint64_t> outcomes_;
};

/// A file of this process in the folder for temporary files, which exists until the process ends.
/// Its content changes for each input. Its name ends with `ending`.
class InputFile {
 public:
  explicit InputFile(const std::string& ending);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Returns the path of the file, with this content.
  const std::string& holding(std::string_view content);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Tests the code on an input. Every target defines this function and other_input().
void try_input(Bytes input);
/// Returns another input, new or derived from this one, or nothing if libFuzzer should change
/// random bytes.
std::optional<std::string> other_input(const std::string& input, Dice& dice);

/// Expects that a message is one line of printable characters.
void expect_message(const std::string& message);

/// Returns the result of read(), or nothing if it throws one of the two exceptions for wrong input
/// with a message of one line. Other exceptions end the process.
template <class Read>
auto accepted(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const InputError&) {
    expect_message(internal::current_error().message);
  } catch (const UsageError&) {
    expect_message(internal::current_error().message);
  }
  return std::nullopt;
}

}  // namespace espalier::fuzz
