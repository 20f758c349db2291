// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/partition_refinement.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

namespace espalier::internal {

void OrderedPartition::reset(Index first, Index size) {
  first_ = first;
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), 0);
  position_ = order_;
  class_of_.assign(size, 0);
  classes_.assign(1, {0, size, 0, Side::whole, 0, 0});
}

void OrderedPartition::refine(std::span<const Index> set) {
  met_.clear();
  for (const Index vertex : set) {
    const Index c = class_of_[vertex - first_];
    if (classes_[c].members++ == 0) met_.push_back(c);
  }
  for (const Index c : met_) classes_[c].side = side_of_members(classes_[c]);
  const std::size_t classes_before = classes_.size();
  for (const Index c : met_) prepare_split(c);
  if (classes_.size() > classes_before) {
    for (const Index vertex : set) move_member(vertex - first_);
  }
  for (const Index c : met_) classes_[c].members = 0;
}

/// Returns the attraction of a neighbouring class for members: 0 if the set does not meet it, 1 if
/// it meets a part, 2 if it contains the class.
int OrderedPartition::attraction(Index position) const {
  if (position < 0 || position == static_cast<Index>(order_.size())) return 0;
  const Class& neighbour = classes_[class_of_[order_[position]]];
  if (neighbour.members == 0) return 0;
  return neighbour.members == neighbour.end - neighbour.begin ? 2 : 1;
}

OrderedPartition::Side OrderedPartition::side_of_members(const Class& c) const {
  if (c.members == c.end - c.begin) return Side::whole;
  return attraction(c.begin - 1) > attraction(c.end) ? Side::left : Side::right;
}

/// Creates a new class for the members of class c, on the side that side_of_members() chose.
/// move_member() then moves the members one by one.
void OrderedPartition::prepare_split(Index c) {
  Class& old = classes_[c];
  if (old.side == Side::whole) return;
  old.split_off = static_cast<Index>(classes_.size());
  Class members{old.begin, old.end, 0, Side::whole, 0, 0};
  if (old.side == Side::left) {
    old.begin = members.end = old.begin + old.members;
  } else {
    old.end = members.begin = old.end - old.members;
  }
  old.cursor = members.begin;
  classes_.push_back(members);
}

void OrderedPartition::move_member(Index vertex) {
  Class& old = classes_[class_of_[vertex]];
  if (old.side == Side::whole) return;
  const Index target = old.cursor++;
  const Index displaced = order_[target];
  std::swap(order_[target], order_[position_[vertex]]);
  position_[displaced] = std::exchange(position_[vertex], target);
  class_of_[vertex] = old.split_off;
}

namespace {

/// Returns the number of runs of consecutive numbers in an ascending list.
Count runs_of(std::span<const Index> list) {
  Count runs = list.empty() ? 0 : 1;
  for (std::size_t k = 1; k < list.size(); ++k) runs += list[k] != list[k - 1] + 1 ? 1 : 0;
  return runs;
}

/// Sorts distinct numbers below a limit. Each number sets a bit; the words of bits are read in
/// order.
class BitSort {
 public:
  void reset(Index limit) { word_.assign(static_cast<std::size_t>(limit) / 64 + 1, 0); }

  /// Writes number(k) + offset for all k of the list to `sorted`, in ascending order.
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

/// Reorders supernodes one after the other.
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
  /// Chooses the facing sets that can split a class, the largest first. Sets of one vertex or of
  /// all vertices cannot.
  void choose_sets(Index s) {
    const Index size = begin_[s + 1] - begin_[s];
    sets_.clear();
    for (const FacingRange& set : rows_.facing_ranges(s)) {
      if (set.size > 1 && set.size < size) sets_.push_back(set);
    }
    // One combined number avoids a second comparison, whose branch the core could not predict.
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

  /// Writes all rows that face s in the new order to sorted_. Returns the number of runs of the
  /// chosen sets.
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
  // Each task has supernodes with about the same total number of facing ranges.
  const auto border = [&](Index task) {
    const auto at = std::lower_bound(rows.facing_begin.begin(),
                                     rows.facing_begin.begin() + supernodes, ranges * task / tasks);
    return static_cast<Index>(at - rows.facing_begin.begin());
  };
  // The last supernodes take longest. Therefore they come first.
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

}  // namespace espalier::internal
