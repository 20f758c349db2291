// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/partition_refinement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "symbolic/supernodes.hpp"

namespace espalier {
namespace {

/// Rows of one supernode that are columns of another, as a range of the row structure.
struct FacingSet {
  Count begin;
  Index size;
};

/// Facing sets of every supernode: set[set_begin[s] .. set_begin[s+1]).
struct FacingSets {
  std::vector<Count> set_begin;
  std::vector<FacingSet> set;
};

/// Calls visit(facing supernode, range of the row structure) for all rows below diagonal blocks.
template <typename Visit>
void for_each_facing_range(std::span<const Index> begin, const RowStructure& rows,
                           const std::vector<Index>& supernode, Visit visit) {
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    Count first = rows.begin[s] + (begin[s + 1] - begin[s]);
    while (first < rows.begin[s + 1]) {
      const Index facing = supernode[rows.row[first]];
      Count last = first + 1;
      while (last < rows.begin[s + 1] && rows.row[last] < begin[facing + 1]) ++last;
      visit(facing, FacingSet{first, static_cast<Index>(last - first)});
      first = last;
    }
  }
}

/// The facing sets that can split a class: neither one column nor all.
FacingSets splitting_sets(std::span<const Index> begin, const RowStructure& rows,
                          const std::vector<Index>& supernode) {
  const auto splits = [&](Index facing, const FacingSet& set) {
    return set.size > 1 && set.size < begin[facing + 1] - begin[facing];
  };
  FacingSets result{std::vector<Count>(begin.size(), 0), {}};
  for_each_facing_range(begin, rows, supernode, [&](Index facing, const FacingSet& set) {
    if (splits(facing, set)) ++result.set_begin[facing + 1];
  });
  std::inclusive_scan(result.set_begin.begin(), result.set_begin.end(), result.set_begin.begin());
  result.set.resize(result.set_begin.back());
  std::vector<Count> next = result.set_begin;
  for_each_facing_range(begin, rows, supernode, [&](Index facing, const FacingSet& set) {
    if (splits(facing, set)) result.set[next[facing]++] = set;
  });
  return result;
}

/// An ordered partition of the columns of one supernode into classes, each a range of the order.
class OrderedPartition {
 public:
  /// Starts again with one class of the columns [first, first + width).
  void reset(Index first, Index width) {
    first_ = first;
    order_.resize(width);
    std::iota(order_.begin(), order_.end(), 0);
    position_ = order_;
    class_of_.assign(width, 0);
    met_at_.assign(width, sets_met_);
    classes_.assign(1, {0, width, 0, Side::whole, 0, 0});
  }

  /// Whether every class is a single column.
  bool is_finest() const { return classes_.size() == order_.size(); }

  /// Columns in their order, counted from the first column of the supernode.
  const std::vector<Index>& order() const { return order_; }

  /// Splits all classes that the set meets in part. Cost O(size of the set).
  void refine(std::span<const Index> set) {
    met_.clear();
    for (const Index column : set) {
      const Index c = class_of_[column - first_];
      if (classes_[c].members++ == 0) met_.push_back(c);
    }
    for (const Index c : met_) classes_[c].side = side_of_members(classes_[c]);
    for (const Index c : met_) prepare_split(c);
    for (const Index column : set) move_member(column - first_);
    for (const Index c : met_) classes_[c].members = 0;
  }

  /// Runs of consecutive positions that the columns of a set take. Cost O(size of the set).
  Index runs(std::span<const Index> set) {
    ++sets_met_;
    for (const Index column : set) met_at_[position_[column - first_]] = sets_met_;
    Index runs = 0;
    for (const Index column : set) {
      const Index position = position_[column - first_];
      if (position == 0 || met_at_[position - 1] != sets_met_) ++runs;
    }
    return runs;
  }

 private:
  enum class Side { whole, left, right };  ///< where the members of a set go inside their class

  struct Class {
    Index begin, end;  ///< positions in the order
    Index members;     ///< columns of the current set in this class
    Side side;
    Index split_off;  ///< the class that the members move to
    Index cursor;     ///< where the next member goes
  };

  /// How much a neighbouring class attracts members: not at all, met in part, met as a whole.
  int attraction(Index position) const {
    if (position < 0 || position == static_cast<Index>(order_.size())) return 0;
    const Class& neighbour = classes_[class_of_[order_[position]]];
    if (neighbour.members == 0) return 0;
    return neighbour.members == neighbour.end - neighbour.begin ? 2 : 1;
  }

  Side side_of_members(const Class& c) const {
    if (c.members == c.end - c.begin) return Side::whole;
    return attraction(c.begin - 1) > attraction(c.end) ? Side::left : Side::right;
  }

  /// Gives the members of a class a class of their own at its side; they move there one by one.
  void prepare_split(Index c) {
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

  void move_member(Index column) {
    Class& old = classes_[class_of_[column]];
    if (old.side == Side::whole) return;
    const Index target = old.cursor++;
    const Index displaced = order_[target];
    std::swap(order_[target], order_[position_[column]]);
    position_[displaced] = std::exchange(position_[column], target);
    class_of_[column] = old.split_off;
  }

  Index first_ = 0;
  std::vector<Index> order_;
  std::vector<Index> position_;  ///< inverse of the order
  std::vector<Index> class_of_;
  std::vector<Class> classes_;
  std::vector<Index> met_;     ///< classes that the current set meets
  std::vector<Count> met_at_;  ///< by position, the last set that runs() met there
  Count sets_met_ = 0;
};

/// Refines a partition by all sets; false where that gives no fewer runs than the order had.
bool refine(OrderedPartition& partition, std::span<FacingSet> sets, const RowStructure& rows) {
  const auto members = [&](const FacingSet& set) {
    return std::span(rows.row.data() + set.begin, static_cast<std::size_t>(set.size));
  };
  const auto runs = [&] {
    Count sum = 0;
    for (const FacingSet& set : sets) sum += partition.runs(members(set));
    return sum;
  };
  const Count runs_before = runs();
  if (runs_before == static_cast<Count>(sets.size())) return false;
  std::sort(sets.begin(), sets.end(), [](const FacingSet& a, const FacingSet& b) {
    return a.size != b.size ? a.size > b.size : a.begin < b.begin;
  });
  for (const FacingSet& set : sets) {
    if (partition.is_finest()) break;
    partition.refine(members(set));
  }
  return runs() < runs_before;
}

void renumber_rows(std::span<const Index> begin, const std::vector<Index>& supernode,
                   const Permutation& renumbering, RowStructure& rows) {
  // Columns stay inside their supernode, so the ranges found on the way keep their borders.
  for_each_facing_range(begin, rows, supernode, [&](Index, const FacingSet& set) {
    const auto first = rows.row.begin() + set.begin;
    for (auto row = first; row != first + set.size; ++row) *row = renumbering.new_of[*row];
    std::sort(first, first + set.size);
  });
}

}  // namespace

Permutation refine_partition(std::span<const Index> begin, RowStructure& rows) {
  const std::vector<Index> supernode = supernode_of_column(begin);
  FacingSets sets = splitting_sets(begin, rows, supernode);
  OrderedPartition partition;
  Permutation renumbering = Permutation::identity(begin.back());
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    const std::span<FacingSet> facing(sets.set.data() + sets.set_begin[s],
                                      sets.set.data() + sets.set_begin[s + 1]);
    if (facing.empty()) continue;
    partition.reset(begin[s], begin[s + 1] - begin[s]);
    if (!refine(partition, facing, rows)) continue;
    for (std::size_t k = 0; k < partition.order().size(); ++k) {
      const Index old = begin[s] + partition.order()[k];
      renumbering.old_of[begin[s] + k] = old;
      renumbering.new_of[old] = begin[s] + static_cast<Index>(k);
    }
  }
  renumber_rows(begin, supernode, renumbering, rows);
  return renumbering;
}

Count count_runs(std::span<const Index> begin, const RowStructure& rows) {
  Count runs = 0;
  for_each_facing_range(begin, rows, supernode_of_column(begin), [&](Index, const FacingSet& set) {
    for (Count k = set.begin; k < set.begin + set.size; ++k) {
      if (k == set.begin || rows.row[k] != rows.row[k - 1] + 1) ++runs;
    }
  });
  return runs;
}

}  // namespace espalier
