// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/entry_cost.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace espalier {

namespace {

constexpr Index window = 128;  ///< columns, whose values of A stay in the first-level cache
constexpr Index windows = 16;
constexpr Index sampled_from = 1024;  ///< columns; A's values are in some cache below
constexpr Count line_entries = 8;

/// How often a window of columns of L needs a line with values of A's columns [first, last).
Count lines_needed(const LowerPattern& pattern, std::span<const Index> new_of, Index first,
                   Index last) {
  std::array<Index, line_entries> window_for;  ///< those that need the line at hand
  auto end = window_for.begin();
  Count needed = 0;
  const auto close_line = [&] {
    needed += end - window_for.begin();
    end = window_for.begin();
  };
  for (Index j = first; j < last; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      if (k % line_entries == 0) close_line();
      const Index reader = std::min(new_of[j], new_of[pattern.row[k]]) / window;
      if (std::find(window_for.begin(), end, reader) == end) *end++ = reader;
    }
  }
  close_line();
  return needed;
}

double entries_a_column(const LowerPattern& pattern) {
  return static_cast<double>(pattern.entries()) / std::max<Index>(pattern.n, 1);
}

}  // namespace

double lines_a_column(const LowerPattern& pattern, std::span<const Index> new_of) {
  if (pattern.n < sampled_from) return entries_a_column(pattern) / line_entries;
  Count lines = 0;
  for (Index w = 0; w < windows; ++w) {
    const auto first = static_cast<Index>(Count{pattern.n - window} * w / (windows - 1));
    lines += lines_needed(pattern, new_of, first, first + window);
  }
  return static_cast<double>(lines) / (window * windows);
}

KernelCost cost_for(const LowerPattern& pattern, std::span<const Index> new_of,
                    std::shared_ptr<const CostTable> measured) {
  KernelCost cost;
  cost.measured = std::move(measured);
  const double entries = entries_a_column(pattern);
  const double others = lines_a_column(pattern, new_of) - entries / line_entries;
  cost.column = entries * (cost.measured ? cost.measured->take : cost.taken) +
                std::max(others, 0.0) * (cost.measured ? cost.measured->line : cost.line);
  return cost;
}

}  // namespace espalier
