// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/block_grid.hpp"
#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"

namespace espalier::internal {

/// Joins the tasks with one source panel and one owner to batches, and the tiles of a panel with
/// one owner to strips. The owner of a tile is a rank and, inside the rank, a cell of its grid of
/// workers: the cell of the 2D block-cyclic map (owner_of_block()). A task belongs to the owner of
/// the tile that it writes, as in the fan-out method (symPACK, [P] in docs/glossary.md, section
/// 3.3). A rank sends each of its strips at most once to each other rank that reads a tile of it.
///
/// Updates follow in the batch that makes their source, instead of forming their own, if their
/// owner made everything that they read and if they take less than `overhead`. This is the
/// runtime's time per task, in seconds. Otherwise sends of the source would wait for them too long.
///
/// `owners` has the grid of each rank and must be equal on all ranks. The graph must consist of D,
/// F and U, each with one target, so it has neither groups nor contributions. Throws
/// std::logic_error for other graphs. Tasks, tiles and messages of the graph stay as they are. Cost
/// O(tiles of a panel times its strips, plus tasks log tasks).
void batch_tasks(TaskGraph& graph, const PartView& part, std::span<const BlockGrid> owners,
                 double overhead);

/// Calls f(tile, first_row) for each tile of a strip. A strip is a matrix that has the rows of its
/// tiles one below the other; `first_row` is the row of the strip where the tile begins.
template <class F>
void for_each_tile_of_strip(const TaskGraph& graph, Index strip, F f) {
  Index row = 0;
  for (const Index t : graph.batches.tiles(strip)) {
    f(t, row);
    row += graph.tiling.tile[t].row_end - graph.tiling.tile[t].row_begin;
  }
}

}  // namespace espalier::internal
