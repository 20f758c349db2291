// SPDX-License-Identifier: BSD-3-Clause
#include "solver/entry_map.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Minimum number of entries for several threads. With fewer entries, starting threads takes longer
/// than the work.
constexpr Count worth_threads = 50000;

/// Part of L that one thread fills: whole panels, and their columns.
struct Part {
  Index panel_begin;
  Index panel_end;
  Index begin;
  Index end;
};

/// Returns one part per worker, with about the same number of columns each.
std::vector<Part> parts_of(const PanelStructure& structure, Index workers) {
  std::vector<Part> parts;
  const auto& begin = structure.panel_begin;
  Index panel = 0;
  for (Index k = 1; k <= workers; ++k) {
    const auto column = static_cast<Index>(Count{structure.n} * k / workers);
    const auto at = std::lower_bound(begin.begin() + panel, begin.end(), column);
    const auto end = static_cast<Index>(at - begin.begin());
    parts.push_back({panel, end, begin[panel], begin[end]});
    panel = end;
  }
  return parts;
}

/// Sorts the columns of one panel by row, all at once. The sort distributes the entries into
/// buckets by row, and then back to their columns. The second step keeps the order of rows. Cost
/// O(entries + height). The object keeps its memory between calls.
class PanelSort {
 public:
  void operator()(std::span<const Count> begin, std::span<PanelEntry> entries, Index height) {
    next_.assign(static_cast<std::size_t>(height) + 1, 0);
    for (const PanelEntry e : entries) ++next_[static_cast<std::size_t>(e.local_row()) + 1];
    for (Index i = 0; i < height; ++i) next_[i + 1] += next_[i];
    by_row_.resize(entries.size());
    const auto columns = static_cast<Index>(begin.size()) - 1;
    for (Index j = 0; j < columns; ++j) {
      for (Count k = begin[j]; k < begin[j + 1]; ++k) {
        const PanelEntry e = entries[k - begin[0]];
        by_row_[next_[e.local_row()]++] = {e, j};
      }
    }
    next_.resize(static_cast<std::size_t>(columns));
    for (Index j = 0; j < columns; ++j) next_[j] = static_cast<Index>(begin[j] - begin[0]);
    for (const auto& [e, column] : by_row_) entries[next_[column]++] = e;
  }

 private:
  std::vector<Index> next_;
  std::vector<std::pair<PanelEntry, Index>> by_row_;
};

/// Entries of a whole matrix.
struct PatternEntries {
  const PatternView& pattern;
  const std::vector<Index>& new_of;

  Count size() const { return pattern.entries(); }
  /// Calls f(row, column, k) for entry k, with its row and column in L, row >= column.
  template <class F>
  void for_each(F f) const {
    for (Index j = 0; j < pattern.n; ++j) {
      const Index new_j = new_of[j];
      for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
        const auto [column, row] = std::minmax(new_j, new_of[pattern.row[k]]);
        f(row, column, k);
      }
    }
  }
};

struct ListedEntries {
  std::span<const ColumnPair> entries;

  Count size() const { return std::ssize(entries); }
  template <class F>
  void for_each(F f) const {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      f(entries[k].later, entries[k].earlier, static_cast<Count>(k));
    }
  }
};

template <class Entries>
class EntryMap {
 public:
  EntryMap(Entries given, const PanelStructure& structure) : given_(given), structure_(structure) {}

  /// Makes the map. Each thread reads all of A and processes the entries of its columns of L.
  PanelEntries make(Index workers) {
    const std::vector<Part> parts = parts_of(structure_, workers);
    const auto in_parts = [&](auto work) {
      parallel_for(workers, workers, [&](Index k) { work(parts[k]); });
    };
    auto& begin = entries_.begin;
    begin.assign(structure_.n + 1, 0);
    in_parts([&](const Part& part) { count(part); });
    for (Index j = 0; j < structure_.n; ++j) begin[j + 1] += begin[j];
    entries_.entry.reserve(given_.size());
    advise_huge_pages(entries_.entry.data(), given_.size() * sizeof(PanelEntry));
    entries_.entry.resize(given_.size());
    in_parts([&](const Part& part) { take(part); });
    std::move_backward(begin.begin(), begin.end() - 1, begin.end());
    begin.front() = 0;
    in_parts([&](const Part& part) { sort_locally(part); });
    return std::move(entries_);
  }

 private:
  template <class F>
  void for_each_entry(const Part& part, F f) const {
    given_.for_each([&](Index row, Index column, Count k) {
      if (column >= part.begin && column < part.end) f(row, column, k);
    });
  }

  void count(const Part& part) {
    for_each_entry(part, [&](Index, Index column, Count) { ++entries_.begin[column + 1]; });
  }

  /// Enters the entries of the part, not yet in order, with rows of L instead of rows of the panel.
  /// Afterwards begin[j] is the end of column j.
  void take(const Part& part) {
    for_each_entry(part, [&](Index row, Index column, Count k) {
      entries_.entry[entries_.begin[column]++] = PanelEntry(row, k);
    });
  }

  void sort_locally(const Part& part) {
    std::vector<Index> position(structure_.n);
    PanelSort sort;
    for (Index p = part.panel_begin; p < part.panel_end; ++p) {
      const auto rows = structure_.rows(p);
      for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<Index>(i);
      const auto columns = std::span(entries_.begin)
                               .subspan(structure_.panel_begin[p],
                                        static_cast<std::size_t>(structure_.width(p)) + 1);
      const auto entries = std::span(entries_.entry)
                               .subspan(static_cast<std::size_t>(columns.front()),
                                        static_cast<std::size_t>(columns.back() - columns.front()));
      for (PanelEntry& e : entries) e = PanelEntry(position[e.local_row()], e.source());
      sort(columns, entries, structure_.height(p));
    }
  }

  const Entries given_;
  const PanelStructure& structure_;
  PanelEntries entries_;
};

template <class Entries>
PanelEntries mapped(Entries given, const PanelStructure& structure, Index workers) {
  if (given.size() > PanelEntry::most_sources) {
    throw UsageError("the matrix has " + std::to_string(given.size()) +
                     " entries in its lower triangle; a factorization takes at most " +
                     std::to_string(PanelEntry::most_sources));
  }
  const bool small = given.size() < worth_threads;
  return EntryMap<Entries>(given, structure).make(small ? 1 : std::max<Index>(workers, 1));
}

}  // namespace

PanelEntries map_entries(const PatternView& pattern, const SymbolicFactor& symbolic,
                         Index workers) {
  return mapped(PatternEntries{pattern, symbolic.permutation.new_of}, symbolic, workers);
}

PanelEntries map_entries(std::span<const ColumnPair> entries, const PanelStructure& structure,
                         Index workers) {
  return mapped(ListedEntries{entries}, structure, workers);
}

}  // namespace espalier::internal
