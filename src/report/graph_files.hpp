// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "graph/described_graph.hpp"
#include "matrix/output_file.hpp"

namespace espalier::internal {

/// Format of a file with a task graph. The ending of its name tells it.
enum class GraphFormat { json, dot, rec };

/// Endings of the names of such files, for messages.
inline constexpr const char* graph_file_endings = ".json, .dot or .rec";

/// Returns the format of a file with this name. Throws UsageError if the name has another ending.
GraphFormat graph_format_of(const std::string& path);

/// Name of an access mode in files.
std::string_view name_of(AccessMode mode);

// The functions below write piece by piece, so they need little memory besides the graph. They
// throw the errors of OutputFile.

/// Writes all facts as JSON; docs/reference/graphs.md lists the fields.
void write_json(const DescribedGraph& graph, OutputFile& file);

/// Writes nodes and edges in the language of Graphviz. A node has the kind and the block of its
/// task, its seconds on a core, and the colour of its kind.
void write_dot(const DescribedGraph& graph, OutputFile& file);

/// Writes StarPU's format for starpu_replay. Its tasks refer to performance models, which
/// write_models() writes.
void write_rec(const DescribedGraph& graph, OutputFile& file);

/// Adds StarPU's performance models of the tasks in a .rec file. They lie in `folder`, which the
/// variable STARPU_PERF_MODEL_PATH may name. Each kind of task has a model, and each task size an
/// entry with its predicted times on a core and, if known, on a CUDA device.
void add_models(const DescribedGraph& graph, const std::string& folder, Outputs& outputs);

/// Adds a file with the graph in the format of its name. A .rec file also gets its models, in the
/// folder FILE.models. Throws UsageError for another ending.
void add_graph(const DescribedGraph& graph, const std::string& path, Outputs& outputs);

}  // namespace espalier::internal
