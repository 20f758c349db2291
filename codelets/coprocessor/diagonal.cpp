// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "codelets/coprocessor/tasks.hpp"

namespace espalier::coprocessor {

void diagonal(MessageReader /*message*/, TaskData data, const Desk& desk) {
  const MatrixView block = data[0].row_range(0, data[0].columns);
  const Index bad = desk.kernels.potrf(block);
  desk.diagonal.clear();
  for (Index j = 0; j < block.columns; ++j) desk.diagonal.push_back(block(j, j));
  if (bad >= 0) desk.diagonal[bad] = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace espalier::coprocessor
