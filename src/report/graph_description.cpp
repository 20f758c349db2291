// SPDX-License-Identifier: BSD-3-Clause
#include "report/graph_description.hpp"

#include <algorithm>

#include "base/block_grid.hpp"
#include "base/scalar.hpp"
#include "runtime/factor_tasks.hpp"

namespace espalier::internal {

namespace {

DescribedData data_of(const PanelStructure& structure, const Tile& tile) {
  return {scalar.bytes_of(entries_of(structure, tile)),
          structure.panel_with(structure.rows(tile.panel)[tile.row_begin]), tile.panel};
}

/// Returns the data of a graph in the order of FactorTasks: tiles, groups, contributions.
std::vector<DescribedData> data_of(const PanelStructure& structure, const TaskGraph& graph) {
  std::vector<DescribedData> data;
  for (const Tile& tile : graph.tiling.tile) data.push_back(data_of(structure, tile));
  for (const auto& group : graph.cut.groups) {
    const Count entries =
        structure.value_begin[group.panel_end] - structure.value_begin[group.panel_begin];
    data.push_back({scalar.bytes_of(entries), group.panel_end - 1, group.panel_end - 1});
  }
  for (const Contribution& contribution : graph.contribution) {
    data.push_back(data_of(structure, graph.tiling.tile[contribution.tile]));
    data.back().bytes = scalar.bytes_of(graph.entries_of(structure, contribution));
  }
  return data;
}

/// Returns the shape of a bound task without the pointers, which are valid only in this process.
Shape without_pointers(Shape shape) {
  shape.device_budget = nullptr;
  shape.device_costs = nullptr;
  shape.queued = nullptr;
  return shape;
}

void add_device_seconds(const PanelStructure& structure, const TaskGraph& graph,
                        const DevicePrediction& device, DescribedGraph& described) {
  const auto at = std::ranges::find(device_architectures, device.architecture);
  const auto a = static_cast<std::size_t>(at - device_architectures.begin());
  for (Index t = 0; t < graph.size(); ++t) {
    if (!device.seconds.runs(graph.task[t].kind)) continue;
    described.task[t].device_seconds[a] = device.seconds.of(graph.task[t], graph, structure);
  }
}

}  // namespace

DescribedGraph describe_graph(const PanelStructure& structure, const TaskGraph& graph,
                              Index workers, const std::vector<DevicePrediction>& devices) {
  DescribedGraph described;
  described.data = data_of(structure, graph);
  FactorContext context;
  context.structure = &structure;
  const std::vector<MatrixView> no_memory(described.data.size());
  const FactorTasks bound(structure, graph, context, no_memory, false);
  const BlockGrid grid = most_square_grid(workers);
  for (const BoundTask& task : bound.list().task) {
    const Shape shape = without_pointers(task.shape);
    described.task.push_back({.shape = shape,
                              .owner = owner_of_block(grid, shape.row, shape.column),
                              .access_begin = task.access_begin,
                              .access_end = task.access_end});
  }
  described.access = bound.list().access;
  for (const DevicePrediction& device : devices) {
    add_device_seconds(structure, graph, device, described);
  }
  connect(described);
  return described;
}

}  // namespace espalier::internal
