// SPDX-License-Identifier: BSD-3-Clause
#include "solver/entry_map.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

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

/// The entries by column of L, rows not yet in order.
PanelEntries by_column(const LowerPattern& pattern, const std::vector<Index>& new_of) {
  PanelEntries entries;
  auto& begin = entries.begin;
  begin.assign(pattern.n + 1, 0);
  for_each_entry(pattern, new_of, [&](Index, Index column, Count) { ++begin[column + 1]; });
  for (Index j = 0; j < pattern.n; ++j) begin[j + 1] += begin[j];
  entries.local_row.resize(pattern.entries());
  entries.source.resize(pattern.entries());
  std::vector<Count> next(begin.begin(), begin.end() - 1);
  for_each_entry(pattern, new_of, [&](Index row, Index column, Count k) {
    const Count at = next[column]++;
    entries.local_row[at] = row;
    entries.source[at] = k;
  });
  return entries;
}

/// Sorts one column's entries by row. `scratch` keeps its memory between calls.
void sort_column(PanelEntries& entries, Index column,
                 std::vector<std::pair<Index, Count>>& scratch) {
  const Count begin = entries.begin[column];
  const Count end = entries.begin[column + 1];
  scratch.clear();
  for (Count k = begin; k < end; ++k) {
    scratch.emplace_back(entries.local_row[k], entries.source[k]);
  }
  std::sort(scratch.begin(), scratch.end());
  for (Count k = begin; k < end; ++k) {
    std::tie(entries.local_row[k], entries.source[k]) = scratch[k - begin];
  }
}

}  // namespace

PanelEntries map_entries(const LowerPattern& pattern, const SymbolicFactor& symbolic) {
  PanelEntries entries = by_column(pattern, symbolic.permutation.new_of);
  std::vector<Index> position(pattern.n);
  std::vector<std::pair<Index, Count>> scratch;
  for (Index p = 0; p < symbolic.panels(); ++p) {
    const auto rows = symbolic.rows(p);
    for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<Index>(i);
    for (Index j = symbolic.panel_begin[p]; j < symbolic.panel_begin[p + 1]; ++j) {
      for (Count k = entries.begin[j]; k < entries.begin[j + 1]; ++k) {
        entries.local_row[k] = position[entries.local_row[k]];
      }
      sort_column(entries, j, scratch);
    }
  }
  return entries;
}

}  // namespace espalier
