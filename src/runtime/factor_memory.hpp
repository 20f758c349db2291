// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/dense.hpp"
#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"

namespace espalier::internal {

/// Returns one view per contribution of a graph. The views have no memory: it is assigned while a
/// contribution is in use.
std::vector<MatrixView> contribution_views(const PanelStructure& structure, const TaskGraph& graph);

/// Returns the number of entries of L that a process stores: those of its domain, then its tiles of
/// shared panels.
Count stored_entries(const PartView& part, const TaskGraph& graph);

/// Returns a view of all entries of a group, which are contiguous. A group has at most
/// most_entries_of_group entries.
MatrixView view_of_group(double* values, Count length);

/// Returns the data of a graph as views of an array of stored_entries() entries: tiles, then
/// groups, then contributions. Tiles of shared panels are contiguous, or strips are if there are
/// batches. A view has no memory if it is a contribution or a tile that the rank receives. A view
/// has no rows if the rank never uses the tile.
std::vector<MatrixView> data_in_array(const PartView& part, const TaskGraph& graph, double* values);

/// Returns the strips of a graph with batches as views of the same array. A view has no memory if
/// the rank receives the strip, and no rows if the rank never uses it. The strips of a domain are
/// not contiguous. Each is represented by its first tile, because they are never sent and all
/// workers share their memory.
std::vector<MatrixView> strips_in_array(const PartView& part, const TaskGraph& graph,
                                        double* values);

/// Returns the parts of an array of stored_entries() entries that belong to no group, in ascending
/// order.
std::vector<std::span<double>> outside_of_groups(const PanelStructure& structure,
                                                 const TaskGraph& graph, std::span<double> values);

}  // namespace espalier::internal
