// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/shared_solve.hpp"

#include <algorithm>

#include "codelets/relative_indices.hpp"

namespace espalier::internal {

namespace {

Count entries(const MatrixView& segment) {
  return static_cast<Count>(segment.rows) * segment.columns;
}

}  // namespace

void LoadSegmentTask::run(TaskData, Worker&) const {
  const MatrixView rows = node->vectors.column_range(row_begin, row_end - row_begin);
  if (first_column < 0) {
    std::fill_n(rows.data, entries(rows), 0.0);
  } else {
    load_columns(*this, first_column, rows);
  }
  add_children(*node, row_begin, row_end);
}

void AddSegmentTask::run(TaskData data, Worker&) const {
  double* const to = data[0].data;
  const double* const from = data[1].data;
  for (Count i = 0; i < entries(data[0]); ++i) to[i] += from[i];
}

MatrixView SharedTileArguments::gather(Worker& worker) const {
  const auto height = static_cast<Index>(place.size());
  const MatrixView all = node->vectors;
  if (contiguous(place)) return all.column_range(place.front(), height);
  const MatrixView gathered{worker.workspace.vectors.data(), all.rows, height, all.rows};
  for (Index i = 0; i < height; ++i) {
    std::copy_n(all.column(place[i]), all.rows, gathered.column(i));
  }
  return gathered;
}

void SharedTileArguments::scatter(ConstMatrixView gathered) const {
  const MatrixView all = node->vectors;
  if (gathered.data == all.column(place.front())) return;
  for (Index i = 0; i < gathered.columns; ++i) {
    std::copy_n(gathered.column(i), all.rows, all.column(place[i]));
  }
}

void ForwardSharedTileTask::run(TaskData data, Worker& worker) const {
  if (diagonal) {
    context->signs.chosen.apply(panel_column, data[0]);
    worker.kernels.forward(triangle(), data[0], signs());
  }
  if (place.empty()) return;
  const MatrixView y = gather(worker);
  worker.kernels.multiply(below(), data[0], y, signs(), worker.workspace.buffer.span());
  scatter(y);
}

void BackwardSharedTileTask::run(TaskData data, Worker& worker) const {
  const MatrixView x = data[0];
  if (clears) std::fill_n(x.data, entries(x), 0.0);
  if (!place.empty()) worker.kernels.multiply_transposed(below(), gather(worker), x);
  if (!diagonal) return;
  worker.kernels.backward(triangle(), x, signs());
  context->signs.chosen.undo(panel_column, x);
  if (first_column >= 0) store_columns(*this, first_column, x);
}

}  // namespace espalier::internal
