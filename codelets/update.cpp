// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/update.hpp"

#include <algorithm>

#include "codelets/index_map.hpp"

namespace espalier {

void UpdateTask::run(TaskData data, Worker& worker) const {
  const MatrixView target = data[0];
  tile->fill_once(*context, target);
  const auto rows = static_cast<Index>(source_rows.size());
  const auto columns = static_cast<Index>(source_columns.size());
  const ConstMatrixView a = data[1].row_range(left_row, rows);
  const ConstMatrixView b = data.back().row_range(right_row, columns);

  const auto top = std::lower_bound(target_rows.begin(), target_rows.end(), source_rows.front());
  const auto below = target_rows.subspan(static_cast<std::size_t>(top - target_rows.begin()));
  ScatterTarget place{target.data + (top - target_rows.begin()), target.ld, nullptr, nullptr};
  Index* const map = worker.workspace.row_map.data();
  if (below[rows - 1] != source_rows.back()) {
    merge_positions(source_rows, below, map);
    place.row = map;
  }
  if (contiguous(source_columns)) {
    place.data += (source_columns.front() - target_column) * target.ld;
  } else {
    Index* const column_map = worker.workspace.position.data();
    for (Index j = 0; j < columns; ++j) column_map[j] = source_columns[j] - target_column;
    place.column = column_map;
  }
  worker.kernels.update(a, b, lower, place, worker.workspace.buffer.span());
}

}  // namespace espalier
