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

/// Sums the work of the last factorization for each range of panel widths. Counts the work of the
/// tasks of one process, and the panels whose diagonal tile this process owns. The result is empty
/// if no task ran.
/// - D, F and U: the measured seconds count for their panel.
/// - S and A work on panels of many widths: the sum of their measured seconds is divided in
///   proportion to the predicted times of the subtrees' panels.
/// - R: the seconds count for the panel that R adds to.
std::vector<WidthReport> work_by_width(const PartView& part, const SubtreeCut& cut,
                                       const KernelCost& cost, std::span<const BoundTask> tasks);
/// Adds the classes of one part to the sum of other parts.
void add_widths(std::span<const WidthReport> part, std::vector<WidthReport>& sum);

}  // namespace espalier::internal
