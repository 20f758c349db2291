// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// The tree that the triangular solves walk: the groups of a cut, and above it the panels of each
/// supernode together. Children come before their parents. Every node keeps the rows of the vectors
/// that it reaches in a front: first its columns, then its external rows.
///
/// A node is one tile, the work of one task in each direction. Supernodes too large for that are
/// dense trapezoids in the rows of their front, and are cut into several tiles:
///
///   segment 0  [ 0        ]   tile 0: segments 0 and 1 of panel 0; tile 1: the rest of it
///   segment 1  [ 0  2     ]   tile 2: segments 1 and 2 of panel 1; tile 3: the rest of it
///   segment 2  [ 1  2  4  ]   and so on; segments of external rows follow those of the panels
///   segment 3  [ 1  3  4  ]
struct SolveTree {
  struct Node {
    Index panel_begin;  ///< the node is the panels [panel_begin, panel_end)
    Index panel_end;
    Index parent;                          ///< -1 at a root, also where rows outside are shared
    std::span<const Index> external_rows;  ///< rows outside that the node reaches, ascending
    Index columns;
    bool supernode;       ///< its panels reach all rows of the front below their own first one
    Index segment_begin;  ///< its front is the segments [segment_begin, segment_end)
    Index segment_end;
    Index tile_begin;  ///< its entries are the tiles [tile_begin, tile_end)
    Index tile_end;

    Index front_rows() const { return columns + static_cast<Index>(external_rows.size()); }
  };
  /// Rows [row_begin, row_end) of a front: what a task reads or writes.
  struct Segment {
    Index row_begin;
    Index row_end;
  };
  /// Rows of some panels, all of them or consecutive segments. Those of one panel go from the top,
  /// the first one with the panel's diagonal block; panels ascend.
  struct Tile {
    Index node;
    Index panel_begin;
    Index panel_end;
    Index segment_begin;
    Index segment_end;
    double entries;  ///< entries of L
    double rows;     ///< rows of its panels, and as many for each panel as it takes beside them
  };
  std::vector<Node> node;
  std::vector<Segment> segment;
  std::vector<Tile> tile;

  /// The segment that holds the columns of a tile's panels.
  Index own_segment(const Tile& t) const;
};

/// Entries of L that a solve task works on: a millisecond's tenth, which is many times what StarPU
/// takes for a task.
inline constexpr Count solve_tile_entries = Count{1} << 17;

/// Seconds of one of the two triangular solves with one right-hand side, by panel.
std::vector<double> solve_seconds(const PanelStructure& structure, const KernelCost& cost);

/// Cuts the domain of a part for a solve by a number of workers.
SubtreeCut cut_for_solve(const PartView& part, const KernelCost& cost, Index workers);

/// Builds the tree of a part's domain; the cut holds no shared panels. Tiles have about
/// `tile_entries` entries; nodes below twice as many are one tile. The tree points into the
/// structure and the cut, which outlive it. Cost O(panels).
SolveTree build_solve_tree(const PartView& part, const SubtreeCut& cut, Count tile_entries);

}  // namespace espalier::internal
