// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"

namespace espalier::coprocessor {

void factor(MessageReader message, TaskData data, const Desk& desk) {
  const Index skipped = message.number();
  const ConstMatrixView l = data.back().row_range(0, data[0].columns);
  desk.kernels.trsm(l, data[0].row_range(skipped, data[0].rows - skipped), desk.buffer);
}

}  // namespace espalier::coprocessor
