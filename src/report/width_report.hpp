// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/task_list.hpp"
#include "espalier/report.hpp"
#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/local_structure.hpp"

namespace espalier::internal {

/// Divides the work of the last factorization by the width of the panels it came from: of a
/// process's tasks, and of the panels whose diagonal tile it owns. The seconds of D, F and U were
/// measured with each task; those of S and A, whose tasks work on panels of many widths, are their
/// measured sum, shared out as the panels of the subtrees are predicted to take; those of R count
/// for the panel that is added to. The result is empty where no task ran.
std::vector<WidthReport> work_by_width(const PartView& part, const SubtreeCut& cut,
                                       const KernelCost& cost, std::span<const BoundTask> tasks);
/// Adds a part to what other parts came to.
void add_widths(std::span<const WidthReport> part, std::vector<WidthReport>& sum);

}  // namespace espalier::internal
