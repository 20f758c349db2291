// SPDX-License-Identifier: BSD-3-Clause
#include "plan/device_seconds.hpp"

#include <algorithm>
#include <utility>

namespace espalier::internal {

double update_seconds(const KernelCost& kernels, const TaskGraph& graph, const Task& update) {
  double seconds = 0;
  for (const Task& part : graph.parts(update)) {
    seconds += size_of(part.rows, part.columns, update.inner).seconds(kernels);
  }
  return seconds;
}

DeviceSeconds::DeviceSeconds(DeviceTable table, KernelCost host, bool diagonals)
    : table_(std::move(table)),
      host_(std::move(host)),
      device_(kernels_on(table_, host_)),
      diagonals_(diagonals) {}

double DeviceSeconds::of(const Task& task, const TaskGraph& graph,
                         const PanelStructure& structure) const {
  if (!runs(task.kind)) return 0;
  const double alone = kernels(task, graph, structure);
  return table_.task + alone * table_.history.factor({task.kind, task.flops, alone, host_.entries});
}

double DeviceSeconds::kernels(const Task& task, const TaskGraph& graph,
                              const PanelStructure& structure) const {
  if (!runs(task.kind)) return 0;
  const Tile& target = graph.tiling.tile[task.target];
  const double width = structure.width(target.panel);
  const double rows = target.row_end - target.row_begin;
  switch (task.kind) {
    case TaskKind::update: return update_seconds(device_, graph, task);
    case TaskKind::diagonal:
      return table_.potrf.seconds.empty() ? task.seconds : device_.potrf(width);
    case TaskKind::factor:
      return table_.trsm.seconds.empty() ? task.seconds : device_.trsm(task.rows.size(), width);
    case TaskKind::assemble: {
      const double inner = std::max(task.inner, 1.0);
      return task.seconds * device_.product(rows, width, inner) / host_.product(rows, width, inner);
    }
    default: return table_.fill > 0 ? task.seconds * table_.fill / host_.fill(1) : task.seconds;
  }
}

double DeviceSeconds::of_solve(Index rows_below, Index columns, Index right_hand_sides,
                               bool has_triangle) const {
  const double below = rows_below > 0 ? device_.product(rows_below, right_hand_sides, columns) : 0;
  const KernelCost& triangle = table_.trsm.seconds.empty() ? host_ : device_;
  return table_.task + below + (has_triangle ? triangle.trsm(right_hand_sides, columns) : 0);
}

}  // namespace espalier::internal
