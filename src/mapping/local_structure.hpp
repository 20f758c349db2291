// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/rank_map.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// Which panels of a structure one rank has to itself, and who owns the blocks of the others. A
/// process alone is a rank whose domain is everything: see sole_ownership().
struct Ownership {
  Index rank = 0;
  Index ranks = 1;
  Index shared_begin = 0;      ///< panels [0, shared_begin) are the domain, the others shared
  std::vector<RankGrid> grid;  ///< entry k is that of panel shared_begin + k

  /// Shared rows that subtrees of a rank's domain update: boundary_row[begin .. end), ascending.
  struct Boundary {
    Index rank;
    Count begin;
    Count end;
    bool operator==(const Boundary&) const = default;
  };
  /// The boundaries of all ranks, ascending: one for each set of rows that some of a rank's largest
  /// subtrees have outside; none is empty.
  std::vector<Boundary> boundary;
  std::vector<Index> boundary_row;

  std::span<const Index> rows_of(const Boundary& b) const {
    return {boundary_row.data() + b.begin, boundary_row.data() + b.end};
  }
  bool is_shared(Index panel) const { return panel >= shared_begin; }
  /// Rank of the block of `panel` whose rows face `row_panel`, and of a tile that begins with it.
  Index owner(Index panel, Index row_panel) const {
    if (!is_shared(panel)) return rank;
    return grid[panel - shared_begin].rank(row_panel - shared_begin, panel - shared_begin);
  }
};

/// Returns the ownership of a process alone.
Ownership sole_ownership(const PanelStructure& structure);

/// The part of L that one rank sees, in a numbering of its own: first the columns of its domain, in
/// the order of L, then those of all shared panels, which differ between ranks only by the offset.
/// Subtrees of shared panels are no ranges. The array of L has the domain alone; each block of a
/// shared panel is stored by its owner.
struct LocalStructure : PanelStructure, Ownership {
  std::vector<Index> column;  ///< the column of L that each local column is

  /// Returns the number of columns in the domain, which is the first shared column.
  Index own_columns() const { return panel_begin[shared_begin]; }
};

/// A structure and whose its panels are: what one process factors and solves, alone or as one of
/// several ranks. Both outlive the view.
struct PartView {
  PartView(const PanelStructure& s, const Ownership& o) : structure(s), ownership(o) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a local structure is both.
  PartView(const LocalStructure& local) : structure(local), ownership(local) {}

  const PanelStructure& structure;
  const Ownership& ownership;
};

/// What all ranks see of a structure, without a domain and without what add_blocks() adds; columns
/// are those of that structure. Cost O(columns of it + rows of the result).
LocalStructure shared_structure(const PanelStructure& whole, const RankMap& map);

/// A domain on its own. Behind its columns, shared ones are numbered on in their order.
struct Domain {
  PanelStructure structure;   ///< without what add_blocks() adds
  std::vector<Index> column;  ///< the column of L that each one is
};

/// What `rank` sees that has this domain. Cost O(rows of the result).
LocalStructure local_structure(Domain domain, const LocalStructure& shared, Index rank);

/// Adds the blocks, the lists of the blocks that face a panel and the offsets of the values, all of
/// which follow from the rest. Cost O(rows of all panels).
void add_blocks(LocalStructure& local);

/// Throws std::logic_error naming the first broken invariant.
void check(const LocalStructure& local);

/// Cuts the forest of a domain as cut_subtrees() does; the shared panels are all above.
SubtreeCut cut_domain(const PartView& part, std::vector<double> seconds, double limit,
                      std::span<const double> path = {});

}  // namespace espalier::internal
