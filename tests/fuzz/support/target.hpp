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

/// Returns a number that depends on all bytes, by which a target varies what else it does.
std::uint32_t hash_of(Bytes bytes);

/// Prints `what` and aborts, which ends the search with this input, where a promise is broken.
void expect(bool kept, const std::string& what);

/// Counts what became of the inputs, and prints that in one line when the process ends.
class Tally {
 public:
  explicit Tally(std::string target) : target_(std::move(target)) {}
  ~Tally();
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  void input() { ++inputs_; }
  /// One of the outcomes; an input may have several.
  void note(const std::string& outcome) { ++outcomes_[outcome]; }

 private:
  std::string target_;
  std::uint64_t inputs_ = 0;
  std::map<std::string, std::uint64_t> outcomes_;
};

/// A file of this process in the folder for temporary ones, there until the process ends, with a
/// new content for each input. `ending` is that of its name.
class InputFile {
 public:
  explicit InputFile(const std::string& ending);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Returns its path with this content in it.
  const std::string& holding(std::string_view content);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Every target defines these two. This one gives its input to what is tested.
void try_input(Bytes input);
/// Returns another input, made of this one or anew; nothing where bytes shall change at random.
std::optional<std::string> other_input(const std::string& input, Dice& dice);

/// Expects that a message is one line of printable characters.
void expect_message(const std::string& message);

/// Returns what read() returns, or nothing where it refuses its input by one of the two exceptions
/// that wrong input has, with a message that is a line; others end the process.
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
