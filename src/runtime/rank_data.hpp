// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/dense_view.hpp"
#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"

namespace espalier {

/// Entries of L that a rank keeps: the array of its domain, then its tiles of shared panels.
Count stored_entries(const LocalStructure& structure, const TaskGraph& graph);

/// The data of the graph of a rank in such an array: tiles, groups, contributions. Tiles of shared
/// panels are contiguous. A view without memory is that of a tile that the rank receives, or of a
/// contribution; one without rows of a tile that it never sees.
std::vector<MatrixView> data_of_rank(const LocalStructure& structure, const TaskGraph& graph,
                                     double* values);

}  // namespace espalier
