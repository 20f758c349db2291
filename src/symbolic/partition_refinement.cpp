// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/partition_refinement.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "symbolic/ordered_partition.hpp"

namespace espalier {
namespace {

/// Runs of consecutive numbers in an ascending list.
Count runs_of(std::span<const Index> list) {
  Count runs = list.empty() ? 0 : 1;
  for (std::size_t k = 1; k < list.size(); ++k) runs += list[k] != list[k - 1] + 1 ? 1 : 0;
  return runs;
}

/// Sorts distinct numbers below a limit: a bit for each, in words that are read in order.
class BitSort {
 public:
  void reset(Index limit) { word_.assign(static_cast<std::size_t>(limit) / 64 + 1, 0); }

  /// Sorts number(k) + offset for all k of the list into `sorted`.
  template <typename Number>
  void sort(std::span<const Index> list, Number number, Index offset, Index* sorted) {
    Index lowest = number(list.front()) / 64;
    Index highest = lowest;
    for (const Index k : list) {
      const Index bit = number(k);
      const Index at = bit / 64;
      lowest = std::min(lowest, at);
      highest = std::max(highest, at);
      word_[at] |= std::uint64_t{1} << (bit % 64);
    }
    for (Index at = lowest; at <= highest; ++at) {
      for (std::uint64_t bits = word_[at]; bits != 0; bits &= bits - 1) {
        *sorted++ = offset + 64 * at + std::countr_zero(bits);
      }
      word_[at] = 0;
    }
  }

 private:
  std::vector<std::uint64_t> word_;
};

/// Reorders one supernode after the other.
class Refinement {
 public:
  Refinement(std::span<const Index> begin, RowStructure& rows, Permutation& renumbering)
      : begin_(begin), rows_(rows), renumbering_(renumbering) {}

  void reorder(Index s) {
    choose_sets(s);
    const Count runs_before = runs_of_sets();
    if (runs_before == static_cast<Count>(sets_.size())) return;
    partition_.reset(begin_[s], begin_[s + 1] - begin_[s]);
    for (const FacingRange& set : sets_) {
      if (partition_.is_finest()) break;
      partition_.refine(rows_.rows(set));
    }
    if (sort_rows(s) < runs_before) apply(s);
  }

 private:
  /// The facing sets that can split a class, neither one vertex nor all; the largest first.
  void choose_sets(Index s) {
    const Index size = begin_[s + 1] - begin_[s];
    sets_.clear();
    for (const FacingRange& set : rows_.facing_ranges(s)) {
      if (set.size > 1 && set.size < size) sets_.push_back(set);
    }
    // One number decides: two comparisons in turn would not be predicted.
    const auto rank = [](const FacingRange& set) {
      return static_cast<std::int64_t>(set.source) - (static_cast<std::int64_t>(set.size) << 32);
    };
    std::sort(sets_.begin(), sets_.end(),
              [&](const FacingRange& a, const FacingRange& b) { return rank(a) < rank(b); });
  }

  Count runs_of_sets() const {
    Count sum = 0;
    for (const FacingRange& set : sets_) sum += runs_of(rows_.rows(set));
    return sum;
  }

  /// Lists all rows that face s in the new order; returns the runs of the sets chosen.
  Count sort_rows(Index s) {
    const Index size = begin_[s + 1] - begin_[s];
    const auto position = [&](Index row) { return partition_.position(row); };
    Count runs = 0;
    std::size_t next = 0;
    bits_.reset(size);
    for (const FacingRange& set : rows_.facing_ranges(s)) {
      const auto first = next;
      next += static_cast<std::size_t>(set.size);
      if (sorted_.size() < next) sorted_.resize(2 * next);
      bits_.sort(rows_.rows(set), position, begin_[s], sorted_.data() + first);
      if (set.size > 1 && set.size < size) {
        runs += runs_of(std::span(sorted_).subspan(first, next - first));
      }
    }
    return runs;
  }

  void apply(Index s) {
    auto next = sorted_.begin();
    for (const FacingRange& set : rows_.facing_ranges(s)) {
      std::copy_n(next, set.size, rows_.row.begin() + set.begin);
      next += set.size;
    }
    for (Index old = begin_[s]; old < begin_[s + 1]; ++old) {
      const Index moved = begin_[s] + partition_.position(old);
      renumbering_.new_of[old] = moved;
      renumbering_.old_of[moved] = old;
    }
  }

  std::span<const Index> begin_;
  RowStructure& rows_;
  Permutation& renumbering_;
  OrderedPartition partition_;
  BitSort bits_;
  std::vector<FacingRange> sets_;
  std::vector<Index> sorted_;
};

}  // namespace

Permutation refine_partition(std::span<const Index> begin, RowStructure& rows, Index workers) {
  Permutation renumbering = Permutation::identity(begin.back());
  constexpr Count ranges_a_task = 2'000;
  const auto supernodes = static_cast<Index>(begin.size()) - 1;
  const Count ranges = rows.facing_begin[supernodes];
  const auto tasks = static_cast<Index>(ranges / ranges_a_task + 1);
  // Supernodes with as many ranges that face them for each task.
  const auto border = [&](Index task) {
    const auto at = std::lower_bound(rows.facing_begin.begin(),
                                     rows.facing_begin.begin() + supernodes, ranges * task / tasks);
    return static_cast<Index>(at - rows.facing_begin.begin());
  };
  // The last supernodes take longest: they come first.
  parallel_for(tasks, workers, [&](Index k) {
    const Index task = tasks - 1 - k;
    Refinement refinement(begin, rows, renumbering);
    for (Index s = border(task); s < border(task + 1); ++s) refinement.reorder(s);
  });
  return renumbering;
}

Count count_runs(const RowStructure& rows) {
  Count runs = 0;
  for (const FacingRange& range : rows.facing) runs += runs_of(rows.rows(range));
  return runs;
}

}  // namespace espalier
