// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/assemble.hpp"

#include <algorithm>

#include "codelets/index_map.hpp"

namespace espalier {

void AssembleTask::run(TaskData data, Worker& worker) const {
  const MatrixView target = data[0];
  tile->fill_once(*context, target);
  Index* const map = worker.workspace.row_map.data();
  merge_positions(rows, target_rows, map);
  const ConstMatrixView contribution{data[1].data, order, order, order};
  const auto height = static_cast<Index>(rows.size());
  for (Index j = 0; j < static_cast<Index>(columns.size()); ++j) {
    const double* const from = contribution.column(first_column + j) + first_row;
    double* const to = target.column(columns[j] - target_column);
    const Index diagonal = first_column + j - first_row;
    for (Index i = std::max<Index>(diagonal, 0); i < height; ++i) to[map[i]] += from[i];
  }
}

}  // namespace espalier
