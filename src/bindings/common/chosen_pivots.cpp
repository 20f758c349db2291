// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "espalier/bindings.hpp"

namespace espalier {

void match_for_pivots(Options& options) {
  const bool is_given = std::ranges::any_of(
      options.given, [](const std::string& text) { return text.starts_with("matching="); });
  if (is_given || options.analysis.ordering == "ptscotch") return;
  options.analysis.matching = true;
}

std::string singular_pivot(Index column, Index base) {
  return "the matrix is singular to rounding: the pivot of column " +
         std::to_string(Count{column} + base) + ", counted from " + std::to_string(base) +
         ", is zero or not finite";
}

}  // namespace espalier
