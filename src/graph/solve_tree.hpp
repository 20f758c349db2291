// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// The tree of the triangular solves. A node is a group of the cut or, above the cut, all panels of
/// one supernode. Children come before their parents. Each node has a local vector, the rows of the
/// vectors that it reaches: first its columns, then its external rows.
///
/// Most nodes are one tile, which one task works on in each direction. Larger supernodes are dense
/// trapezoids in the rows of their local vector, and are cut into several tiles:
///
///   segment 0  [ 0        ]   tile 0: segments 0 and 1 of panel 0; tile 1: the rest of it
///   segment 1  [ 0  2     ]   tile 2: segments 1 and 2 of panel 1; tile 3: the rest of it
///   segment 2  [ 1  2  4  ]   and so on; segments of external rows follow those of the panels
///   segment 3  [ 1  3  4  ]
struct SolveTree {
  struct Node {
    Index panel_begin;  ///< the node has the panels [panel_begin, panel_end)
    Index panel_end;
    Index parent;                          ///< -1 for a root, or if the rows outside are shared
    std::span<const Index> external_rows;  ///< rows outside the node that it reaches, ascending
    Index columns;
    bool supernode;  ///< each panel reaches all rows of the local vector from its first column on
    Index segment_begin;  ///< the local vector has the segments [segment_begin, segment_end)
    Index segment_end;
    Index tile_begin;  ///< the node has the tiles [tile_begin, tile_end)
    Index tile_end;

    Index node_rows() const { return columns + static_cast<Index>(external_rows.size()); }
  };
  /// Rows [row_begin, row_end) of a local vector, which a task reads or writes as a whole.
  struct Segment {
    Index row_begin;
    Index row_end;
  };
  /// Rows of consecutive panels: either all rows of a node, or consecutive segments of one panel.
  /// The first tile of a panel has its diagonal block. Tiles ascend by panel.
  struct Tile {
    Index node;
    Index panel_begin;
    Index panel_end;
    Index segment_begin;
    Index segment_end;
    double entries;  ///< entries of L
    double rows;     ///< rows of its panels, plus the fixed cost per panel in rows
  };
  std::vector<Node> node;
  std::vector<Segment> segment;
  std::vector<Tile> tile;

  /// Returns the segment with the columns of a tile's panels.
  Index own_segment(const Tile& t) const;
};

/// Entries of L per task of a solve: about 0.1 ms of work, which is many times StarPU's overhead
/// per task.
inline constexpr Count solve_tile_entries = Count{1} << 17;

/// Returns the seconds of one triangular solve (of two) with one right-hand side, for each panel.
std::vector<double> solve_seconds(const PanelStructure& structure, const KernelCost& cost);

/// Returns the cut of a part's domain for a solve by a number of workers.
SubtreeCut cut_for_solve(const PartView& part, const KernelCost& cost, Index workers);

/// Returns the tree of a part's domain. The groups of the cut must not have shared panels. Tiles
/// have about `tile_entries` entries. Groups, and supernodes with at most twice that number, are
/// one tile. The tree points into the structure and the cut, which must outlive it. Cost O(panels).
SolveTree build_solve_tree(const PartView& part, const SubtreeCut& cut, Count tile_entries);

}  // namespace espalier::internal
