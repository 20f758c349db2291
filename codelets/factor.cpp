// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/factor.hpp"

namespace espalier {

void FactorTask::run(TaskData data, Worker& worker) const {
  const MatrixView all = data[0];
  RowRange rows = rows_of_slice(worker.slice, all.rows - skipped);
  rows = {skipped + rows.begin, skipped + rows.end};
  tile->fill_once(*context, all, {worker.slice.rank == 0 ? 0 : rows.begin, rows.end}, worker.slice);
  const ConstMatrixView l = data.back().row_range(0, all.columns);
  worker.kernels.trsm(l, all.row_range(rows.begin, rows.end - rows.begin),
                      worker.workspace.buffer.span());
}

}  // namespace espalier
