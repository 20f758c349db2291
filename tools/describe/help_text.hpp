// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "describe/command_text.hpp"

namespace espalier::internal {

/// Returns the text that `--help` prints for the program, or for a subcommand if `words` has two
/// entries ("espalier", "solve"). Options stand in groups, in the order of their first option.
/// Lines that are not examples have at most `width` columns.
std::string help_text(const std::vector<std::string>& words, const CommandText& command,
                      std::size_t width);

/// A line of a list in help: a name and its explanation.
struct HelpEntry {
  std::string name;
  std::string explanation;  ///< may have several lines
};

/// Returns the entry of an option: its names and symbol; its help, default and excluded options.
HelpEntry entry_of(const OptionText& option);

/// Returns the entries in two columns: explanations begin in column 28 and are wrapped at `width`.
std::string help_list(const std::vector<HelpEntry>& entries, std::size_t width);

/// Returns the columns of the terminal on standard output, between 60 and 120; 100 without a
/// terminal.
std::size_t help_width();

}  // namespace espalier::internal
