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

/// Pointer to a value inside Options. Its type decides how text is parsed.
using OptionValue =
    std::variant<bool*, Index*, Count*, std::optional<Index>*, std::optional<double>*,
                 std::array<Index, 2>*, std::array<Index, 4>*, std::array<double, 4>*, Granularity*,
                 Factorization*, Mapping*, DenseKernels::Source*, std::string*,
                 std::vector<std::string>*>;

/// Description of an option for the program and the bindings.
struct OptionRow {
  std::string name;    ///< name of the program's long option, without "--"
  std::string symbol;  ///< symbol of the value in help texts; empty for a flag
  std::string help;    ///< ends with the limits of a number; names other options as NAME=VALUE
  /// Returns the address of the value.
  OptionValue (*value)(Options& options) = nullptr;
  Limits limits{};                   ///< limits of a number, or of each of several numbers
  std::vector<std::string> words{};  ///< values, or beginnings of values, for completion by a shell
  std::string key{};        ///< for example "halo=", if the option sets this option of a policy
  bool takes_file = false;  ///< the value may also be the name of a file
  bool repeated = false;    ///< may be given several times; each time counts
  std::string values{};     ///< description of the values: "a whole number from 0 to 64"
  std::string fallback{};   ///< default as text for read(); empty if there is none

  bool is_flag() const { return symbol.empty(); }
  /// Returns whether `words` lists all values.
  bool is_choice() const { return !words.empty() && !takes_file && !repeated && key.empty(); }
  /// Sets the option as its user. The option then has precedence over a configuration. If the text
  /// is wrong, throws UsageError without the name of the option, and changes nothing.
  void read(const std::string& text, Options& options) const;
  /// Sets the option on behalf of a configuration, with the errors of read().
  void assign(const std::string& text, Options& options) const;
};

/// Returns all options of the library, in the order of help texts.
std::span<const OptionRow> option_table();

/// Returns the row of an option. Throws UsageError, with the names of all options, if there is no
/// such option.
const OptionRow& option_row(std::string_view name);

/// Returns the decimal number in a text. Throws UsageError if the text has anything else, or if the
/// number is outside the limits.
Index whole_number(const std::string& text, const Limits& limits);

/// Returns the decimal number in a text. Throws UsageError if the text has anything else, or if the
/// number is not finite.
double finite_number(const std::string& text);

/// Returns the position of a text among the words. Throws UsageError, with all words and the most
/// similar one, if it is not one of them.
std::size_t position_among(const std::vector<std::string>& words, const std::string& text);

}  // namespace espalier::internal
