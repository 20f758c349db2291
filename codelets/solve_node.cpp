// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/solve_node.hpp"

namespace espalier {

NodeFront::NodeFront(const SolveArguments& task, MatrixView front, Worker& worker)
    : structure_(*task.context->structure),
      values_(task.values),
      front_(front),
      first_(structure_.panel_begin[task.node->panel_begin]),
      columns_(structure_.panel_begin[task.node->panel_end] - first_),
      position_(worker.workspace.position.data()) {
  const auto rows = task.node->external_rows;
  for (std::size_t i = 0; i < rows.size(); ++i) position_[rows[i]] = static_cast<Index>(i);
}

ConstMatrixView NodeFront::panel(Index p) const {
  const Index height = structure_.height(p);
  return {values_ + structure_.value_begin[p], height, structure_.width(p), height};
}

MatrixView NodeFront::own_rows(Index p) const {
  return front_.row_range(structure_.panel_begin[p] - first_, structure_.width(p));
}

}  // namespace espalier
