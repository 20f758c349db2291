// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "graph/described_graph.hpp"
#include "perfmodels/json_files.hpp"

namespace espalier::internal {

/// The JSON files of task graphs. Increase the version when a field changes its meaning.
inline constexpr OwnJson graph_json{
    "the task graph", "espalier_graph", 1,
    "run espalier analyze --graph again, or see docs/reference/graphs.md for its fields"};

/// Returns the graph that a text in the format of write_json() describes. Throws InputError with
/// the name of the file and the error: damaged JSON, another version, tasks that are not numbered
/// in order, unknown kinds or accesses, a negative or missing time, an edge that does not point
/// forward, or edges that do not follow from the accesses. Takes about ten times the memory of the
/// text.
DescribedGraph graph_from_json(const std::string& text, const std::string& name);

/// Reads such a file. Also throws InputError if the file cannot be read.
DescribedGraph read_graph(const std::string& path);

}  // namespace espalier::internal
