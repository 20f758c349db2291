// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reduce.hpp"

#include <algorithm>

#include "codelets/index_map.hpp"

namespace espalier {

void ReduceTask::run(TaskData data, Worker& worker) const {
  const RowRange part = rows_of_slice(worker.slice, data[0].rows);
  const auto own = target_rows.subspan(part.begin, part.end - part.begin);
  const MatrixView target = data[0].row_range(part.begin, part.end - part.begin);
  tile->fill_once(*context, data[0], part, worker.slice);
  if (own.empty()) return;
  const auto begin = std::lower_bound(rows.begin(), rows.end(), own.front());
  const auto end = std::upper_bound(begin, rows.end(), own.back());
  const auto count = static_cast<Index>(end - begin);
  const ConstMatrixView source = data[1].row_range(static_cast<Index>(begin - rows.begin()), count);
  Index* const map = worker.workspace.row_map.data();
  merge_positions({begin, end}, own, map);
  for (Index j = 0; j < source.columns; ++j) {
    double* const to = target.column(j);
    const double* const from = source.column(j);
    for (Index i = 0; i < count; ++i) to[map[i]] += from[i];
  }
}

}  // namespace espalier
