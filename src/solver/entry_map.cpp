// SPDX-License-Identifier: BSD-3-Clause
#include "solver/entry_map.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/uninitialized.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Entry of A at its place in L.
struct PlacedEntry {
  Index row;
  Index column;
  Count source;
};

/// Range of panels or columns.
struct Range {
  Index begin;
  Index end;
};

/// Division of the columns of L into buckets: whole panels with about `1 << shift` columns.
class ColumnBuckets {
 public:
  /// The entries of a bucket should fit into a second-level cache. A thread writes to all buckets
  /// in turn, so their number is limited, too. `entries` is the number of entries of A: columns
  /// with many entries need smaller buckets, so that many threads have work.
  ColumnBuckets(const PanelStructure& structure, Count entries) : shift_(12) {
    constexpr Index most_buckets = 512;
    constexpr Count mean_entries = 50'000;
    constexpr int least_shift = 7;
    const auto buckets_of = [&](int shift) { return structure.n >> shift; };
    while (buckets_of(shift_) >= most_buckets) ++shift_;
    while (shift_ > least_shift && buckets_of(shift_ - 1) < most_buckets &&
           buckets_of(shift_) * mean_entries < entries) {
      --shift_;
    }
    const std::vector<Index>& begin = structure.panel_begin;
    const Index buckets = (structure.n >> shift_) + 1;
    for (Index bucket = 0; bucket < buckets; ++bucket) {
      const auto at = std::lower_bound(begin.begin(), begin.end(), bucket << shift_);
      first_panel_.push_back(static_cast<Index>(at - begin.begin()));
      first_column_.push_back(*at);
    }
    first_panel_.push_back(structure.panels());
    first_column_.push_back(structure.n);
  }

  Index count() const { return static_cast<Index>(first_panel_.size()) - 1; }
  Range panels(Index bucket) const { return {first_panel_[bucket], first_panel_[bucket + 1]}; }
  Range columns(Index bucket) const { return {first_column_[bucket], first_column_[bucket + 1]}; }
  Index of(Index column) const {
    Index bucket = column >> shift_;
    while (column < first_column_[bucket]) --bucket;
    return bucket;
  }

 private:
  int shift_;
  std::vector<Index> first_panel_;
  std::vector<Index> first_column_;
};

/// Entries of a whole matrix.
struct PatternEntries {
  const PatternView& pattern;
  const std::vector<Index>& new_of;

  Count size() const { return pattern.entries(); }
  /// Calls f(PlacedEntry) for the entries [begin, end). The row is at least the column.
  template <class F>
  void for_each(Count begin, Count end, F f) const {
    const auto first = pattern.column_begin.begin();
    const auto after = std::upper_bound(first, first + pattern.n, begin);
    auto j = static_cast<Index>(after - first) - 1;
    for (Count k = begin; k < end; ++j) {
      const Index new_j = new_of[j];
      for (const Count last = std::min(end, pattern.column_begin[j + 1]); k < last; ++k) {
        const auto [column, row] = std::minmax(new_j, new_of[pattern.row[k]]);
        f(PlacedEntry{row, column, k});
      }
    }
  }
};

struct ListedEntries {
  std::span<const ColumnPair> entries;

  Count size() const { return std::ssize(entries); }
  template <class F>
  void for_each(Count begin, Count end, F f) const {
    for (Count k = begin; k < end; ++k) f(PlacedEntry{entries[k].later, entries[k].earlier, k});
  }
};

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

/// Sorts the entries of columns by row, and replaces rows of L by rows of the panel. The object
/// keeps its memory between panels.
class ColumnSort {
 public:
  explicit ColumnSort(const PanelStructure& structure)
      : structure_(structure), position_(static_cast<std::size_t>(structure.n)) {}

  /// Begins a panel with this number of entries. Cost O(height) if the panel has many, else O(1).
  void begin(Index panel, Count entries) {
    constexpr Count full = 8;     // entries per column for which a sort of all columns is faster
    constexpr Count search = 16;  // a search takes as long as listing this number of rows
    rows_ = structure_.rows(panel);
    first_ = structure_.panel_begin[panel];
    own_end_ = structure_.panel_begin[panel + 1];
    is_full_ = entries > full * (own_end_ - first_);
    is_listed_ = is_full_ || std::ssize(rows_) < search * entries;
    if (!is_listed_) return;
    for (std::size_t i = 0; i < rows_.size(); ++i) position_[rows_[i]] = static_cast<Index>(i);
  }

  /// Sorts all columns of the panel if they have many entries, and returns whether it has. `begin`
  /// has the first entry of each column, and their end. Cost O(entries + height).
  bool sort_all(std::span<const Count> begin, PanelEntry* entry) {
    if (!is_full_) return false;
    const std::span entries(entry + begin.front(), entry + begin.back());
    for (PanelEntry& e : entries) e = PanelEntry(position_[e.local_row()], e.source());
    sort_(begin, entries, static_cast<Index>(rows_.size()));
    return true;
  }

  /// Sorts one column. Cost O(entries log(entries)), plus O(log(height)) per entry if the panel has
  /// few.
  void operator()(std::span<PanelEntry> column) {
    if (!std::ranges::is_sorted(column)) std::ranges::sort(column);
    const Index* at = rows_.data();
    for (PanelEntry& e : column) {
      const Index row = e.local_row();
      if (row < own_end_) {
        e = PanelEntry(row - first_, e.source());
      } else if (is_listed_) {
        e = PanelEntry(position_[row], e.source());
      } else {
        at = std::lower_bound(at, rows_.data() + rows_.size(), row);
        e = PanelEntry(static_cast<Index>(at - rows_.data()), e.source());
      }
    }
  }

 private:
  const PanelStructure& structure_;
  UninitializedVector<Index> position_;  ///< for each row of L, its row in the panel if listed
  std::span<const Index> rows_;
  Index first_ = 0;
  Index own_end_ = 0;
  bool is_full_ = false;
  bool is_listed_ = false;
  PanelSort sort_;
};

template <class T>
void make_space(UninitializedVector<T>& values, Count size) {
  values.reserve(static_cast<std::size_t>(size));
  advise_huge_pages(values.data(), static_cast<std::size_t>(size) * sizeof(T));
  values.resize(static_cast<std::size_t>(size));
}

/// Distributes the entries of A into buckets, and then those of each bucket into columns. Ranges of
/// A and buckets are processed in parallel. The number of reads does not depend on the number of
/// threads. Two threads save less than the buckets cost, so one thread does the work of both
/// without buckets.
template <class Entries>
class EntryMap {
 public:
  EntryMap(Entries given, const PanelStructure& structure)
      : given_(given), structure_(structure), buckets_(structure, given.size()) {}

  PanelEntries make(Index workers) {
    const Count size = given_.size();
    constexpr Count entries_a_range = 50'000;
    constexpr Index few = 2;
    ranges_ = static_cast<Index>(std::clamp<Count>(
        size / entries_a_range, 1, workers > few ? Count{tasks_a_worker} * workers : 1));
    entries_.begin.resize(static_cast<std::size_t>(structure_.n) + 1);
    entries_.begin.front() = 0;
    make_space(entries_.entry, size);
    if (ranges_ == 1) {
      place({0, structure_.n}, 0, [&](auto f) { given_.for_each(0, size, f); });
      ColumnSort sort(structure_);
      sort_columns({0, structure_.panels()}, 0, sort);
    } else {
      make_by_buckets(std::min(workers, ranges_));
    }
    return std::move(entries_);
  }

 private:
  static constexpr Index tasks_a_worker = 3;

  template <class F>
  void for_each_of(Index range, F f) const {
    const auto border = [&](Count k) { return given_.size() * k / ranges_; };
    given_.for_each(border(range), border(range + 1), f);
  }

  /// Returns the numbers of the range, one per bucket: its entries, and later the position of its
  /// next entry.
  Count* next_of(Index range) {
    return next_.data() + static_cast<std::ptrdiff_t>(range) * buckets_.count();
  }

  void count(Index range) {
    Count* const number = next_of(range);
    for_each_of(range, [&](const PlacedEntry& e) { ++number[buckets_.of(e.column)]; });
  }

  /// Replaces the numbers of entries by the positions of the first ones.
  void add_up() {
    bucket_begin_.reserve(static_cast<std::size_t>(buckets_.count()) + 1);
    Count sum = 0;
    for (Index bucket = 0; bucket < buckets_.count(); ++bucket) {
      bucket_begin_.push_back(sum);
      for (Index range = 0; range < ranges_; ++range) {
        sum += std::exchange(next_of(range)[bucket], sum);
      }
    }
    bucket_begin_.push_back(sum);
  }

  void distribute(Index range) {
    Count* const next = next_of(range);
    for_each_of(range, [&](const PlacedEntry& e) {
      const Count k = next[buckets_.of(e.column)]++;
      entries_.entry[k] = PanelEntry(e.row, e.source);
      column_[k] = e.column;
    });
  }

  void make_by_buckets(Index workers) {
    next_.resize(static_cast<std::size_t>(ranges_) * static_cast<std::size_t>(buckets_.count()));
    parallel_for(ranges_, workers, [&](Index range) { count(range); });
    add_up();
    make_space(column_, given_.size());
    parallel_for(ranges_, workers, [&](Index range) { distribute(range); });
    const Index tasks = std::min(buckets_.count(), tasks_a_worker * workers);
    const auto border = [&](Count task) {
      return static_cast<Index>(buckets_.count() * task / tasks);
    };
    parallel_for(tasks, workers, [&](Index task) {
      ColumnSort sort(structure_);
      for (Index b = border(task); b < border(task + 1); ++b) sort_bucket(b, sort);
    });
  }

  void sort_bucket(Index bucket, ColumnSort& sort) {
    const Count begin = bucket_begin_[bucket];
    const Count end = bucket_begin_[bucket + 1];
    const std::vector<PanelEntry> entries(entries_.entry.data() + begin,
                                          entries_.entry.data() + end);
    place(buckets_.columns(bucket), begin, [&](auto f) {
      for (Count k = begin; k < end; ++k) {
        const PanelEntry e = entries[k - begin];
        f(PlacedEntry{e.local_row(), column_[k], e.source()});
      }
    });
    sort_columns(buckets_.panels(bucket), begin, sort);
  }

  /// Puts the entries of some columns into these columns, with rows of L and unsorted. `begin` is
  /// the position of the first one. for_each(f) calls f(PlacedEntry) for all of them.
  template <class ForEach>
  void place(Range columns, Count begin, ForEach for_each) {
    std::vector<Count> next(static_cast<std::size_t>(columns.end - columns.begin) + 1, 0);
    for_each([&](const PlacedEntry& e) { ++next[e.column - columns.begin + 1]; });
    next.front() = begin;
    std::inclusive_scan(next.begin(), next.end(), next.begin());
    std::copy(next.begin() + 1, next.end(), entries_.begin.begin() + columns.begin + 1);
    for_each([&](const PlacedEntry& e) {
      entries_.entry[next[e.column - columns.begin]++] = PanelEntry(e.row, e.source);
    });
  }

  void sort_columns(Range panels, Count begin, ColumnSort& sort) {
    PanelEntry* const entry = entries_.entry.data();
    std::vector<Count> columns;
    for (Index p = panels.begin; p < panels.end; ++p) {
      const auto ends = entries_.begin.begin() + structure_.panel_begin[p] + 1;
      columns.assign(1, begin);  // another thread may set the element before the first end
      columns.insert(columns.end(), ends, ends + structure_.width(p));
      sort.begin(p, columns.back() - begin);
      begin = columns.back();
      if (sort.sort_all(columns, entry)) continue;
      for (std::size_t j = 1; j < columns.size(); ++j) {
        sort({entry + columns[j - 1], entry + columns[j]});
      }
    }
  }

  const Entries given_;
  const PanelStructure& structure_;
  const ColumnBuckets buckets_;
  Index ranges_ = 1;
  std::vector<Count> next_;            ///< one number per range and bucket
  std::vector<Count> bucket_begin_;    ///< first entry of each bucket
  UninitializedVector<Index> column_;  ///< columns of the entries, by bucket
  PanelEntries entries_;
};

template <class Entries>
PanelEntries mapped(Entries given, const PanelStructure& structure, Index workers) {
  if (given.size() > PanelEntry::most_sources) {
    throw UsageError("the matrix has " + std::to_string(given.size()) +
                     " entries in its lower triangle; a factorization takes at most " +
                     std::to_string(PanelEntry::most_sources));
  }
  return EntryMap<Entries>(given, structure).make(std::max<Index>(workers, 1));
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
