// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/task_list.hpp"
#include "espalier/report.hpp"
#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier {

/// The work of the last factorization by the width of the panels it came from. The seconds of D, F
/// and U were measured with each task; those of S and A, whose tasks work on panels of many widths,
/// are their measured sum, shared out as the panels of the subtrees are predicted to take. Empty
/// where no task ran.
std::vector<WidthReport> work_by_width(const PanelStructure& structure, const SubtreeCut& cut,
                                       const KernelCost& cost, std::span<const BoundTask> tasks);

}  // namespace espalier
