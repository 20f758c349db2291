// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"

namespace espalier::coprocessor {

void reduce(MessageReader message, TaskData data, const Desk& /*desk*/) {
  const auto row = message.list();
  const ConstMatrixView contribution = data[1];
  for (Index j = 0; j < contribution.columns; ++j) {
    double* const to = data[0].column(j);
    const double* const from = contribution.column(j);
    for (std::size_t i = 0; i < row.size(); ++i) to[row[i]] += from[i];
  }
}

}  // namespace espalier::coprocessor
