// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "graph/task_graph.hpp"

namespace espalier::internal {

/// Collects the edges of a graph while tasks are appended in a sequential order. The edges follow
/// from the tasks' access to tiles. The tasks of a tile run in this order: the first writer, if one
/// is named; then all tasks that add into the tile, in any order; then the task that factors it;
/// then its readers.
class EdgeList {
 public:
  explicit EdgeList(std::size_t tiles) : writers_(tiles), first_(tiles, -1), factored_(tiles, -1) {}

  void add(Index from, Index to) { edges_.emplace_back(from, to); }
  /// Makes task t run before all other tasks that write the tile.
  void add_first_writer(Index tile, Index t) {
    writers_[tile].push_back(t);
    first_[tile] = t;
  }
  /// Adds task t, which adds into the tile. Such tasks may run in any order.
  void add_writer(Index tile, Index t) {
    if (first_[tile] >= 0) add(first_[tile], t);
    writers_[tile].push_back(t);
  }
  /// Makes task t run after all tasks that add into the tile, and marks it as the task that factors
  /// the tile. Call it once per tile.
  void add_after_writers(Index tile, Index t) {
    for (const Index writer : writers_[tile]) add(writer, t);
    writers_[tile].push_back(t);
    factored_[tile] = t;
  }
  /// Returns the tasks that add into the tile in the order in which they were appended, then the
  /// task that factors it.
  std::span<const Index> writers(Index tile) const { return writers_[tile]; }
  void set_factored(Index tile, Index t) { factored_[tile] = t; }
  /// Makes task t wait for the task that factors the tile, if this rank has that task.
  void add_after_factored(Index tile, Index t) {
    if (factored_[tile] >= 0) add(factored_[tile], t);
  }

  /// Moves the edges into the graph's successor lists, which are ascending.
  void store(TaskGraph& graph);

 private:
  std::vector<std::pair<Index, Index>> edges_;
  std::vector<std::vector<Index>> writers_;
  std::vector<Index> first_;
  std::vector<Index> factored_;
};

/// Adds the seconds of initialising each tile to the task that is expected to write it first: its
/// fill task, else the task A with the highest priority, else the first writer in the order of the
/// graph. Skips tiles that only another rank writes. Call it after EdgeList::store() and
/// set_priorities(). Cost O(edges).
void add_fills(TaskGraph& graph, const EdgeList& edges, const PanelStructure& structure,
               const KernelCost& cost);

}  // namespace espalier::internal
