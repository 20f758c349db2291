// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/forest_top.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mapping/rank_work.hpp"
#include "symbolic/block_structure.hpp"
#include "symbolic/row_structure.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {

namespace {

/// Returns the predicted seconds of all updates by a panel of `width` columns with `below` rows
/// below its diagonal block, in blocks of about `block` rows.
double update_seconds(double below, double block, double width, const KernelCost& cost) {
  const double blocks = std::ceil(below / block);
  const double rows = below / blocks;
  return blocks * cost.update((below + rows) / 2, rows, width, Target::again);
}

class Top {
 public:
  Top(const SymbolicFactor& sizes_only, std::span<const double> seconds, Index ranks, Alone alone)
      : sizes_only_(sizes_only), load_(panel_loads(sizes_only, seconds)) {
    choose(may_be_shared(sizes_only.supernode_parent, supernode_loads(), ranks, alone));
    number();
    add_panels();
  }

  ForestTop make(const PatternView& pattern, bool refine, Index workers) {
    PanelStructure& structure = top_.structure;
    ForestRows rows =
        forest_rows(supernodes_, supernodes_.count(), pairs(pattern), refine, workers);
    structure.supernode_begin = std::move(supernodes_.begin);
    structure.row_begin = std::move(rows.begin);
    structure.row = std::move(rows.row);
    structure.n = structure.supernode_begin.back();
    add_blocks(structure, workers);
    top_.renumbering = std::move(rows.renumbering);
    return std::move(top_);
  }

 private:
  std::vector<Load> supernode_loads() const {
    std::vector<Load> loads(sizes_only_.supernodes());
    for (Index p = 0; p < sizes_only_.panels(); ++p)
      loads[sizes_only_.panel_supernode[p]] += load_[p];
    return loads;
  }

  /// Chooses the supernodes that may be shared, their children, and all roots.
  void choose(const std::vector<char>& shared) {
    has_.reserve(shared.size());
    for (const Index parent : sizes_only_.supernode_parent) {
      has_.push_back(parent < 0 || shared[parent] != 0 ? 1 : 0);
    }
  }

  void number() {
    top_.place.resize(has_.size());
    for (Index s = 0; s < sizes_only_.supernodes(); ++s) {
      if (has_[s] == 0) continue;
      top_.place[s] = supernodes_.count();
      const Index first = sizes_only_.supernode_begin[s];
      const Index end = sizes_only_.supernode_begin[s + 1];
      for (Index j = first; j < end; ++j) top_.column.push_back(j);
      supernodes_.begin.push_back(static_cast<Index>(top_.column.size()));
      supernodes_.width.push_back(end - first);
      supernodes_.height.push_back(
          static_cast<Index>(sizes_only_.row_begin[s + 1] - sizes_only_.row_begin[s]));
      supernodes_.parent.push_back(sizes_only_.supernode_parent[s]);
    }
    for (Index s = sizes_only_.supernodes(); s-- > 0;) {
      if (has_[s] == 0) top_.place[s] = top_.place[sizes_only_.supernode_parent[s]];
    }
    for (Index& parent : supernodes_.parent) parent = parent < 0 ? -1 : top_.place[parent];
  }

  void add_panels() {
    PanelStructure& structure = top_.structure;
    std::vector<Load> below(supernodes_.parent.size());
    for (Index p = 0; p < sizes_only_.panels(); ++p) {
      const Index s = sizes_only_.panel_supernode[p];
      const Index t = top_.place[s];
      if (has_[s] == 0) {
        below[t] += load_[p];
        continue;
      }
      structure.panel_begin.push_back(structure.panel_begin.back() + sizes_only_.width(p));
      structure.panel_supernode.push_back(t);
      top_.load.push_back(load_[p]);
      top_.load.back() += std::exchange(below[t], {});
    }
  }

  /// Position of a column of A.
  struct Column {
    Index number;  ///< its number in `sizes_only`
    Index here;    ///< its number in the top, or -1
    Index place;   ///< number of its supernode in the top
  };

  std::vector<Column> columns_of_a() const {
    std::vector<Column> columns(sizes_only_.permutation.old_of.size());
    for (Index s = 0; s < sizes_only_.supernodes(); ++s) {
      const Index place = top_.place[s];
      const Index begin = sizes_only_.supernode_begin[s];
      for (Index j = begin; j < sizes_only_.supernode_begin[s + 1]; ++j) {
        const Index here = has_[s] == 0 ? -1 : supernodes_.begin[place] + j - begin;
        columns[sizes_only_.permutation.old_of[j]] = {j, here, place};
      }
    }
    return columns;
  }

  /// Returns the entries of A in rows of the top. Each supernode outside the top is replaced by its
  /// nearest ancestor in the top. Entries inside one supernode are then left out. The earlier
  /// column of each other entry is replaced by the first column of its supernode. If the later one
  /// belongs to a pair, both columns of the pair have the entry.
  std::vector<ColumnPair> pairs(const PatternView& pattern) const {
    const std::vector<Column> columns = columns_of_a();
    const std::vector<Index>& partner = sizes_only_.partner;
    std::vector<ColumnPair> pairs;
    for (Index j = 0; j < pattern.n; ++j) {
      const Column& one = columns[j];
      for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
        const Column& other = columns[pattern.row[k]];
        if (one.place == other.place) continue;
        const bool first = one.number < other.number;
        const Column& later = first ? other : one;
        if (later.here < 0) continue;
        const Index earlier = supernodes_.begin[first ? one.place : other.place];
        pairs.push_back({earlier, later.here});
        if (partner.empty() || partner[later.number] == later.number) continue;
        pairs.push_back({earlier, later.here + partner[later.number] - later.number});
      }
    }
    return pairs;
  }

  const SymbolicFactor& sizes_only_;
  const std::vector<Load> load_;
  std::vector<char> has_;  ///< for each supernode of `sizes_only`, 1 if it is in the top
  Supernodes supernodes_;
  ForestTop top_;
};

}  // namespace

std::vector<double> sizes_only_seconds(const SymbolicFactor& sizes_only, const KernelCost& cost) {
  const std::vector<Index> parents =
      panel_parents(sizes_only.panel_supernode, sizes_only.supernode_parent);
  std::vector<double> seconds;
  seconds.reserve(sizes_only.panel_supernode.size());
  for (Index p = 0; p < sizes_only.panels(); ++p) {
    const double width = sizes_only.width(p);
    const double height = sizes_only.height(p);
    seconds.push_back(cost.fill(height * width, width) + cost.potrf(width) +
                      cost.trsm(height - width, width));
    if (height == width) continue;
    const double above = sizes_only.width(parents[p]);
    seconds.back() += update_seconds(height - width, above, width, cost);
  }
  return seconds;
}

ForestTop forest_top(const SymbolicFactor& sizes_only, const PatternView& pattern,
                     std::span<const double> seconds, Index ranks, bool refine, Index workers,
                     Alone alone) {
  return Top(sizes_only, seconds, ranks, alone).make(pattern, refine, workers);
}

}  // namespace espalier::internal
