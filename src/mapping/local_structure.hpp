// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/rank_map.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// The panels of a structure that belong to one rank alone, and the owners of the blocks of all
/// other panels. A single process is a rank whose domain has all panels: see sole_ownership().
struct Ownership {
  Index rank = 0;
  Index ranks = 1;
  Index shared_begin = 0;      ///< panels [0, shared_begin) are the domain; the others are shared
  std::vector<RankGrid> grid;  ///< entry k is the grid of panel shared_begin + k

  /// Shared rows that subtrees of a rank's domain update: boundary_row[begin .. end), ascending.
  struct Boundary {
    Index rank;
    Count begin;
    Count end;
    bool operator==(const Boundary&) const = default;
  };
  /// The boundaries of all ranks, by ascending rank. A rank has one for each different set of
  /// shared rows below the root of a subtree of its domain. None is empty.
  std::vector<Boundary> boundary;
  std::vector<Index> boundary_row;

  std::span<const Index> rows_of(const Boundary& b) const {
    return {boundary_row.data() + b.begin, boundary_row.data() + b.end};
  }
  bool is_shared(Index panel) const { return panel >= shared_begin; }
  /// Returns the rank that owns the block of `panel` whose rows face `row_panel`. If a tile begins
  /// with this block, the rank owns the whole tile.
  Index owner(Index panel, Index row_panel) const {
    if (!is_shared(panel)) return rank;
    return grid[panel - shared_begin].rank(row_panel - shared_begin, panel - shared_begin);
  }
  /// Returns the rank that computes the update of this block by panel `source`.
  Index updater(Index source, Index panel, Index row_panel) const {
    if (!is_shared(source)) return rank;
    return internal::updater(grid, source - shared_begin, row_panel - shared_begin,
                             panel - shared_begin);
  }
  bool computes_elsewhere() const { return internal::computes_elsewhere(grid); }
  /// Returns the block row and the block column of the same block, counted among the block rows and
  /// columns that the panel's grid gives to one rank. In the domain, all of them count.
  BlockPlace place(Index panel, Index row_panel) const {
    if (!is_shared(panel)) return {row_panel, panel};
    const RankGrid& cells = grid[panel - shared_begin];
    return {cells.own_row(row_panel - shared_begin), cells.own_column(panel - shared_begin)};
  }
};

/// Returns the ownership of a single process.
Ownership sole_ownership(const PanelStructure& structure);

/// The part of L that one rank sees, with local numbers: first the columns of its domain, in the
/// order of L, then the columns of all shared panels. The numbers of shared columns differ between
/// ranks only by an offset. The subtree of a shared panel is not a contiguous range. The array of L
/// has only the values of the domain. Each block of a shared panel is stored separately by its
/// owner.
struct LocalStructure : PanelStructure, Ownership {
  std::vector<Index> column;  ///< for each local column, its column in L

  /// Returns the number of columns of the domain, which is also the first shared column.
  Index own_columns() const { return panel_begin[shared_begin]; }
};

/// A structure and its ownership: the part that one process factors and solves, alone or as one of
/// several ranks. Both must outlive the view.
struct PartView {
  PartView(const PanelStructure& s, const Ownership& o) : structure(s), ownership(o) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a local structure is both.
  PartView(const LocalStructure& local) : structure(local), ownership(local) {}

  const PanelStructure& structure;
  const Ownership& ownership;
};

/// Returns the part of a structure that all ranks see, without a domain and without the data from
/// add_blocks(). Its `column` refers to columns of `whole`. Cost O(columns of `whole` + rows of the
/// result).
LocalStructure shared_structure(const PanelStructure& whole, const RankMap& map);

/// A domain without the shared panels. Shared columns get the numbers after the columns of the
/// domain, in the order of L.
struct Domain {
  PanelStructure structure;   ///< without the data from add_blocks()
  std::vector<Index> column;  ///< for each column of the domain, its column in L
};

/// Returns the structure of `rank`, which has this domain. Cost O(rows of the result).
LocalStructure local_structure(Domain domain, const LocalStructure& shared, Index rank);

/// Adds the blocks, the lists of the blocks that face a panel and the offsets of the values. All of
/// them follow from the rest of the structure. Cost O(rows of all panels).
void add_blocks(LocalStructure& local);

/// Throws std::logic_error with the first broken invariant.
void check(const LocalStructure& local);

/// Returns the cut of a domain as cut_subtrees() makes it. All shared panels are above the cut.
SubtreeCut cut_domain(const PartView& part, std::vector<double> seconds, double limit,
                      std::span<const double> path = {});

}  // namespace espalier::internal
