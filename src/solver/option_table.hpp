// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options.hpp"
#include "espalier/bindings.hpp"

namespace espalier::internal {

/// The place of a value inside of Options; its type decides how text is read.
using OptionValue =
    std::variant<bool*, Index*, Count*, std::optional<Index>*, std::optional<double>*,
                 std::array<Index, 2>*, std::array<Index, 4>*, std::array<double, 4>*, Granularity*,
                 Mapping*, DenseKernels::Source*, std::string*, std::vector<std::string>*>;

/// Everything that the program and the bindings know of an option.
struct OptionRow {
  std::string name;    ///< that of the program's long option, without "--"
  std::string symbol;  ///< stands for the value in help; a flag has none
  std::string help;    ///< ends with the limits of a number, and names other options as NAME=VALUE
  OptionValue (*value)(Options& options) = nullptr;  ///< where it is
  Limits limits{};                                   ///< of a number, or of each of several
  std::vector<std::string> words{};  ///< values, or how they begin, which a shell can offer
  std::string key{};                 ///< "halo=" if the option sets this one of a policy
  bool takes_file = false;           ///< the value may also be the name of a file
  bool repeated = false;             ///< may be given several times, and each time counts
  std::string values{};              ///< the values in words: "a whole number from 0 to 64"
  std::string fallback{};            ///< the default, as read() takes it; empty if there is none

  bool is_flag() const { return symbol.empty(); }
  /// Whether the words are all values.
  bool is_choice() const { return !words.empty() && !takes_file && !repeated && key.empty(); }
  /// Sets the option. Throws UsageError, which does not name the option, and changes nothing then.
  void read(const std::string& text, Options& options) const;
};

/// Returns all options of the library, in the order of help texts.
std::span<const OptionRow> option_table();

/// Returns the row of an option. Throws UsageError, with all names, if no option has this one.
const OptionRow& option_row(std::string_view name);

/// Returns the decimal number in a text. Throws UsageError if the text has anything else, or if the
/// number is outside of the limits.
Index whole_number(const std::string& text, const Limits& limits);

/// Returns the position of a text among the words. Throws UsageError, with all words and the
/// nearest of them, if the text is not there.
std::size_t position_among(const std::vector<std::string>& words, const std::string& text);

}  // namespace espalier::internal
