// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "graph/task_graph.hpp"

namespace espalier::internal {

/// Collects the edges of a graph while its tasks are appended in a sequential order, from what each
/// task does to tiles: several tasks write a tile in any order, after the first one where one is
/// named, then one factors it, then others read it.
class EdgeList {
 public:
  explicit EdgeList(std::size_t tiles) : writers_(tiles), first_(tiles, -1), factored_(tiles, -1) {}

  void add(Index from, Index to) { edges_.emplace_back(from, to); }
  /// Task t comes before all others that write the tile.
  void add_first_writer(Index tile, Index t) {
    writers_[tile].push_back(t);
    first_[tile] = t;
  }
  /// Task t adds into the tile; its order among such tasks is free.
  void add_writer(Index tile, Index t) {
    if (first_[tile] >= 0) add(first_[tile], t);
    writers_[tile].push_back(t);
  }
  /// Task t comes after all that add into the tile; from now on it is the one that factors the
  /// tile. Once a tile.
  void add_after_writers(Index tile, Index t) {
    for (const Index writer : writers_[tile]) add(writer, t);
    writers_[tile].push_back(t);
    factored_[tile] = t;
  }
  /// Returns the tasks that add into the tile in the order in which they were appended, then the
  /// one that comes after them.
  std::span<const Index> writers(Index tile) const { return writers_[tile]; }
  void set_factored(Index tile, Index t) { factored_[tile] = t; }
  /// Lets task t wait for the task that factors the tile; there is none where another rank does.
  void add_after_factored(Index tile, Index t) {
    if (factored_[tile] >= 0) add(factored_[tile], t);
  }

  /// Moves the edges into the graph's successor lists, ascending.
  void store(TaskGraph& graph);

 private:
  std::vector<std::pair<Index, Index>> edges_;
  std::vector<std::vector<Index>> writers_;
  std::vector<Index> first_;
  std::vector<Index> factored_;
};

/// Adds to the seconds of tasks what initialising the tiles costs, each to the task that writes it
/// first: the one that fills it where there is one; of those of the groups the most urgent one,
/// else the first in the order of the graph. A tile that no task here writes, because another rank
/// does, is left out. Edges are stored and priorities set. Cost O(edges).
void add_fills(TaskGraph& graph, const EdgeList& edges, const PanelStructure& structure,
               const KernelCost& cost);

}  // namespace espalier::internal
