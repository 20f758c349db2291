// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/diagonal.hpp"

namespace espalier {

void DiagonalTask::run(TaskData data, Worker& worker) const {
  const MatrixView all = data[0];
  tile->fill_once(*context, all);
  const MatrixView block = all.row_range(0, all.columns);
  Index bad = worker.kernels.potrf(block);
  if (bad < 0) bad = lost_pivot(context->entries, context->value, first_column, block);
  if (bad >= 0) context->failure.report(first_column + bad);
}

}  // namespace espalier
