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

Count lines_of(const LowerPattern& pattern, std::span<const Index> old_of) {
  std::array<Index, window> column;
  const auto end = std::copy(old_of.begin(), old_of.end(), column.begin());
  std::sort(column.begin(), end);
  Count lines = 0;
  Count counted = -1;  ///< the last one
  for (auto j = column.begin(); j != end; ++j) {
    const Count first = pattern.column_begin[*j] / line_entries;
    const Count last = (pattern.column_begin[*j + 1] - 1) / line_entries;
    lines += last - std::max(first, counted + 1) + 1;
    counted = last;
  }
  return lines;
}

double entries_a_column(const LowerPattern& pattern) {
  return static_cast<double>(pattern.entries()) / std::max<Index>(pattern.n, 1);
}

}  // namespace

double lines_a_column(const LowerPattern& pattern, std::span<const Index> old_of) {
  if (pattern.n < sampled_from) return entries_a_column(pattern) / line_entries;
  Count lines = 0;
  for (Index w = 0; w < windows; ++w) {
    const auto first = static_cast<std::size_t>(Count{pattern.n - window} * w / (windows - 1));
    lines += lines_of(pattern, old_of.subspan(first, window));
  }
  return static_cast<double>(lines) / (window * windows);
}

KernelCost cost_for(const LowerPattern& pattern, std::span<const Index> old_of,
                    std::shared_ptr<const CostTable> measured) {
  KernelCost cost;
  cost.measured = std::move(measured);
  const double entries = entries_a_column(pattern);
  const double others = lines_a_column(pattern, old_of) - entries / line_entries;
  cost.column = entries * (cost.measured ? cost.measured->take : cost.taken) +
                std::max(others, 0.0) * (cost.measured ? cost.measured->line : cost.line);
  return cost;
}

}  // namespace espalier
