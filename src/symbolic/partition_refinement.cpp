// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/partition_refinement.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
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

  void insert(Index number) {
    const Index at = number / 64;
    lowest_ = std::min(lowest_, at);
    highest_ = std::max(highest_, at);
    word_[at] |= std::uint64_t{1} << (number % 64);
  }

  /// Appends the numbers inserted since, plus `offset`, in ascending order, and forgets them.
  void extract(Index offset, std::vector<Index>& list) {
    for (Index at = lowest_; at <= highest_; ++at) {
      for (std::uint64_t bits = word_[at]; bits != 0; bits &= bits - 1) {
        list.push_back(offset + 64 * at + std::countr_zero(bits));
      }
      word_[at] = 0;
    }
    lowest_ = std::numeric_limits<Index>::max();
    highest_ = -1;
  }

 private:
  std::vector<std::uint64_t> word_;
  Index lowest_ = std::numeric_limits<Index>::max();
  Index highest_ = -1;
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
    std::sort(sets_.begin(), sets_.end(), [](const FacingRange& a, const FacingRange& b) {
      return a.size != b.size ? a.size > b.size : a.begin < b.begin;
    });
  }

  Count runs_of_sets() const {
    Count sum = 0;
    for (const FacingRange& set : sets_) sum += runs_of(rows_.rows(set));
    return sum;
  }

  /// Lists all rows that face s in the new order; returns the runs of the sets chosen.
  Count sort_rows(Index s) {
    const Index size = begin_[s + 1] - begin_[s];
    Count runs = 0;
    sorted_.clear();
    bits_.reset(size);
    for (const FacingRange& set : rows_.facing_ranges(s)) {
      const std::size_t first = sorted_.size();
      for (const Index row : rows_.rows(set)) bits_.insert(partition_.position(row));
      bits_.extract(begin_[s], sorted_);
      if (set.size > 1 && set.size < size) runs += runs_of(std::span(sorted_).subspan(first));
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
  const auto supernodes = static_cast<Index>(begin.size()) - 1;
  constexpr Index supernodes_a_task = 100;
  parallel_ranges(supernodes, supernodes_a_task, workers, [&](Index first, Index last) {
    Refinement refinement(begin, rows, renumbering);
    for (Index s = first; s < last; ++s) refinement.reorder(s);
  });
  return renumbering;
}

Count count_runs(const RowStructure& rows) {
  Count runs = 0;
  for (const FacingRange& range : rows.facing) runs += runs_of(rows.rows(range));
  return runs;
}

}  // namespace espalier
