// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/kernels.hpp"
#include "codelets/cuda/tasks.hpp"

namespace espalier::cuda {

void assemble(std::span<const Index> message, TaskData data, Desk& desk) {
  const MatrixView target = data[0];
  launch(Assembly{desk.message_there(), static_cast<Index>(message.size()), data[1].data,
                  target.data, target.ld, target.rows, target.columns},
         desk.stream());
}

}  // namespace espalier::cuda
