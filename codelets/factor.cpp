// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/factor.hpp"

namespace espalier {

void FactorTask::run(TaskData data, Worker& worker) const {
  const MatrixView all = data[0];
  tile->fill_once(*context, all);
  const ConstMatrixView l = data.back().row_range(0, all.columns);
  worker.kernels.trsm(l, all.row_range(skipped, all.rows - skipped),
                      worker.workspace.buffer.span());
}

}  // namespace espalier
