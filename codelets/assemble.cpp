// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/assemble.hpp"

#include <algorithm>

#include "base/packed_triangle.hpp"
#include "codelets/index_map.hpp"

namespace espalier {

void AssembleTask::run(TaskData data, Worker& worker) const {
  const MatrixView target = data[0];
  tile->fill_once(*context, target);
  Index* const map = worker.workspace.row_map.data();
  merge_positions(rows, target_rows, map);
  const PackedTriangle contribution(data[1].data, order);
  const auto height = static_cast<Index>(rows.size());
  for (Index j = 0; j < static_cast<Index>(columns.size()); ++j) {
    const Index column = first_column + j;
    const Index begin = std::max<Index>(column - first_row, 0);
    const double* const from = contribution.at(first_row + begin, column) - begin;
    double* const to = target.column(columns[j] - target_column);
    for (Index i = begin; i < height; ++i) to[map[i]] += from[i];
  }
}

}  // namespace espalier
