// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "graph/described_graph.hpp"
#include "graph/task_graph.hpp"
#include "plan/device_seconds.hpp"

namespace espalier::internal {

/// Predicted times on the devices of one architecture, one of device_architectures.
struct DevicePrediction {
  std::string_view architecture;
  DeviceSeconds seconds;
};

/// Returns the tasks of a factorization graph of one process, with their data as StarPU would see
/// them. Owners follow the 2D block-cyclic map on the most square grid of `workers` cells. Leaves
/// the origin empty. Cost O(tasks + edges log edges).
DescribedGraph describe_graph(const PanelStructure& structure, const TaskGraph& graph,
                              Index workers, const std::vector<DevicePrediction>& devices = {});

}  // namespace espalier::internal
