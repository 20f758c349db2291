// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/kernels.hpp"
#include "codelets/cuda/tasks.hpp"

namespace espalier::cuda {

void reduce(std::span<const Index> message, TaskData data, Desk& desk) {
  launch(addition(data[1], data[0], desk.there(MessageReader(message).list())), desk.stream());
}

}  // namespace espalier::cuda
