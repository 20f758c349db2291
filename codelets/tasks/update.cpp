// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/update.hpp"

#include <algorithm>

#include "codelets/relative_indices.hpp"

namespace espalier {

namespace {

/// Where a row of L is in the target tile.
Index place_of(const UpdateTask& task, Index row) {
  const auto begin = task.target_rows.begin();
  return static_cast<Index>(std::lower_bound(begin, task.target_rows.end(), row) - begin);
}

}  // namespace

void UpdateTask::run(TaskData data, Worker& worker) const {
  const MatrixView left = data[static_cast<std::size_t>(targets())];
  std::size_t target = 0;
  for (const UpdateTask* part = this; part != nullptr; part = part->next) {
    part->update({data[target++], left, data.back()}, worker);
  }
}

void UpdateTask::update(const Operands& data, Worker& worker) const {
  const auto rows = static_cast<Index>(source_rows.size());
  const auto columns = static_cast<Index>(source_columns.size());
  const RowRange part = rows_of_slice(worker.slice, rows, lower ? columns : 0);
  const auto target_row = [&](Index row) {
    return row == rows ? data.target.rows : place_of(*this, source_rows[row]);
  };
  const Index top = worker.slice.rank == 0 ? 0 : target_row(part.begin);
  tile->fill_once(*context, data.target, {top, target_row(part.end)}, worker.slice);
  if (part.begin < part.end) subtract(data, part, worker);
}

void UpdateTask::subtract(const Operands& data, RowRange part, Worker& worker) const {
  const MatrixView target = data.target;
  const Index rows = part.end - part.begin;
  const auto columns = static_cast<Index>(source_columns.size());
  const ConstMatrixView a = data.left.row_range(left_row + part.begin, rows);
  const ConstMatrixView b = data.right.row_range(right_row, columns);
  const auto from = source_rows.subspan(part.begin, rows);

  const Index top = place_of(*this, from.front());
  const auto below = target_rows.subspan(top);
  ScatterTarget place{target.data + top, target.ld, nullptr, nullptr};
  Index* const map = worker.workspace.row_map.data();
  if (below[rows - 1] != from.back()) {
    merge_positions(from, below, map);
    place.row = map;
  }
  if (contiguous(source_columns)) {
    place.data += (source_columns.front() - target_column) * target.ld;
  } else {
    Index* const column_map = worker.workspace.position.data();
    for (Index j = 0; j < columns; ++j) column_map[j] = source_columns[j] - target_column;
    place.column = column_map;
  }
  const Index whole = lower ? std::min(part.begin, columns) : columns;
  update_rows(worker.kernels, a, b, whole, place, worker.workspace.buffer.span());
}

void AssembleTask::run(TaskData data, Worker& worker) const {
  const PanelStructure& s = *context->structure;
  const RowRange rows = rows_of_slice(worker.slice, data[0].rows);
  tile->fill_once(*context, data[0], rows, worker.slice);
  const Index height = rows.end - rows.begin;
  if (height == 0) return;
  UpdateTarget into(target_rows.subspan(rows.begin, height), s.panel_begin[panel],
                    data[0].row_range(rows.begin, height), worker);
  const double* const values = data[1].data - s.value_begin[panel_begin];
  const auto sources = s.facing_source.begin();
  const auto end = sources + s.facing_begin[panel + 1];
  for (auto k = std::lower_bound(sources + s.facing_begin[panel], end, panel_begin);
       k != end && *k < panel_end; ++k) {
    const Index source_height = s.height(*k);
    const ConstMatrixView source{values + s.value_begin[*k], source_height, s.width(*k),
                                 source_height};
    const Count block = s.facing_block[k - sources];
    into.subtract(source, s.rows(*k), s.block[block].row_offset, s.block_end(*k, block));
  }
}

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
