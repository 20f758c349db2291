// SPDX-License-Identifier: BSD-3-Clause
#include "solver/entry_map.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "espalier/error.hpp"

namespace espalier {

namespace {

/// Calls f(row, column, k) with the numbers in L of the k-th entry of A, row >= column.
template <class F>
void for_each_entry(const LowerPattern& pattern, const std::vector<Index>& new_of, F f) {
  for (Index j = 0; j < pattern.n; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const auto [column, row] = std::minmax(new_of[j], new_of[pattern.row[k]]);
      f(row, column, k);
    }
  }
}

/// The entries by column of L, with rows of L for local ones, not yet in order.
PanelEntries by_column(const LowerPattern& pattern, const std::vector<Index>& new_of) {
  PanelEntries entries;
  auto& begin = entries.begin;
  begin.assign(pattern.n + 1, 0);
  for_each_entry(pattern, new_of, [&](Index, Index column, Count) { ++begin[column + 1]; });
  for (Index j = 0; j < pattern.n; ++j) begin[j + 1] += begin[j];
  entries.entry.resize(pattern.entries());
  // begin[j] moves to the end of column j while it is filled, and back afterwards.
  for_each_entry(pattern, new_of, [&](Index row, Index column, Count k) {
    entries.entry[begin[column]++] = PanelEntry(row, k);
  });
  std::move_backward(begin.begin(), begin.end() - 1, begin.end());
  begin.front() = 0;
  return entries;
}

}  // namespace

PanelEntries map_entries(const LowerPattern& pattern, const SymbolicFactor& symbolic) {
  if (pattern.entries() > PanelEntry::most_sources) {
    throw UsageError("the matrix has " + std::to_string(pattern.entries()) +
                     " entries in its lower triangle; a factorization takes at most " +
                     std::to_string(PanelEntry::most_sources));
  }
  PanelEntries entries = by_column(pattern, symbolic.permutation.new_of);
  std::vector<Index> position(pattern.n);
  for (Index p = 0; p < symbolic.panels(); ++p) {
    const auto rows = symbolic.rows(p);
    for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<Index>(i);
    for (Index j = symbolic.panel_begin[p]; j < symbolic.panel_begin[p + 1]; ++j) {
      const auto begin = entries.entry.begin() + entries.begin[j];
      const auto end = entries.entry.begin() + entries.begin[j + 1];
      for (auto e = begin; e != end; ++e) *e = PanelEntry(position[e->local_row()], e->source());
      std::sort(begin, end);
    }
  }
  return entries;
}

}  // namespace espalier
