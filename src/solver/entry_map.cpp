// SPDX-License-Identifier: BSD-3-Clause
#include "solver/entry_map.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

constexpr Count worth_threads = 50000;  ///< entries that take longer than threads to start

/// Part of L that one thread fills: whole panels, and their columns.
struct Part {
  Index panel_begin;
  Index panel_end;
  Index begin;
  Index end;
};

/// Parts with about the same number of columns, one a worker.
std::vector<Part> parts_of(const SymbolicFactor& symbolic, Index workers) {
  std::vector<Part> parts;
  const auto& begin = symbolic.panel_begin;
  Index panel = 0;
  for (Index k = 1; k <= workers; ++k) {
    const auto column = static_cast<Index>(Count{symbolic.n} * k / workers);
    const auto at = std::lower_bound(begin.begin() + panel, begin.end(), column);
    const auto end = static_cast<Index>(at - begin.begin());
    parts.push_back({panel, end, begin[panel], begin[end]});
    panel = end;
  }
  return parts;
}

class EntryMap {
 public:
  EntryMap(const LowerPattern& pattern, const SymbolicFactor& symbolic)
      : pattern_(pattern), symbolic_(symbolic), new_of_(symbolic.permutation.new_of) {}

  /// Every thread reads all of A and takes the entries of its own columns of L.
  PanelEntries make(Index workers) {
    const std::vector<Part> parts = parts_of(symbolic_, workers);
    const auto in_parts = [&](auto work) {
      parallel_for(workers, workers, [&](Index k) { work(parts[k]); });
    };
    auto& begin = entries_.begin;
    begin.assign(pattern_.n + 1, 0);
    in_parts([&](const Part& part) { count(part); });
    for (Index j = 0; j < pattern_.n; ++j) begin[j + 1] += begin[j];
    entries_.entry.resize(pattern_.entries());
    in_parts([&](const Part& part) { take(part); });
    std::move_backward(begin.begin(), begin.end() - 1, begin.end());
    begin.front() = 0;
    in_parts([&](const Part& part) { sort_locally(part); });
    return std::move(entries_);
  }

 private:
  /// Calls f(row, column, k) with the numbers in L of the entries of A in columns of the part, row
  /// >= column.
  template <class F>
  void for_each_entry(const Part& part, F f) const {
    for (Index j = 0; j < pattern_.n; ++j) {
      const Index new_j = new_of_[j];
      for (Count k = pattern_.column_begin[j]; k < pattern_.column_begin[j + 1]; ++k) {
        const auto [column, row] = std::minmax(new_j, new_of_[pattern_.row[k]]);
        if (column >= part.begin && column < part.end) f(row, column, k);
      }
    }
  }

  void count(const Part& part) {
    for_each_entry(part, [&](Index, Index column, Count) { ++entries_.begin[column + 1]; });
  }

  /// Leaves rows of L in place of local ones, not yet in order, and begin[j] at the end of column
  /// j.
  void take(const Part& part) {
    for_each_entry(part, [&](Index row, Index column, Count k) {
      entries_.entry[entries_.begin[column]++] = PanelEntry(row, k);
    });
  }

  void sort_locally(const Part& part) {
    std::vector<Index> position(pattern_.n);
    for (Index p = part.panel_begin; p < part.panel_end; ++p) {
      const auto rows = symbolic_.rows(p);
      for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<Index>(i);
      for (Index j = symbolic_.panel_begin[p]; j < symbolic_.panel_begin[p + 1]; ++j) {
        const auto begin = entries_.entry.begin() + entries_.begin[j];
        const auto end = entries_.entry.begin() + entries_.begin[j + 1];
        for (auto e = begin; e != end; ++e) *e = PanelEntry(position[e->local_row()], e->source());
        std::sort(begin, end);
      }
    }
  }

  const LowerPattern& pattern_;
  const SymbolicFactor& symbolic_;
  const std::vector<Index>& new_of_;
  PanelEntries entries_;
};

}  // namespace

PanelEntries map_entries(const LowerPattern& pattern, const SymbolicFactor& symbolic,
                         Index workers) {
  if (pattern.entries() > PanelEntry::most_sources) {
    throw UsageError("the matrix has " + std::to_string(pattern.entries()) +
                     " entries in its lower triangle; a factorization takes at most " +
                     std::to_string(PanelEntry::most_sources));
  }
  const bool small = pattern.entries() < worth_threads;
  return EntryMap(pattern, symbolic).make(small ? 1 : std::max<Index>(workers, 1));
}

}  // namespace espalier
