// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/cuda/device_context.hpp"

namespace espalier::cuda {

/// A task between begin() and end() of the context: the same effect on the data, which is on the
/// device, as the task on a CPU, but for the entries of A, which are there already. They start what
/// is to be done on the stream, and return. D puts the diagonal of L behind the seconds in the
/// result, with NaN where the pivot failed.
void diagonal(std::span<const Index> message, TaskData data, DeviceContext& context);
void factor(std::span<const Index> message, TaskData data, DeviceContext& context);
void update(std::span<const Index> message, TaskData data, DeviceContext& context);
void assemble(std::span<const Index> message, TaskData data, DeviceContext& context);
void reduce(std::span<const Index> message, TaskData data, DeviceContext& context);
/// Tiles of supernodes.
void forward(std::span<const Index> message, TaskData data, DeviceContext& context);
void backward(std::span<const Index> message, TaskData data, DeviceContext& context);
/// A shadow with zeros.
void fill(std::span<const Index> message, TaskData data, DeviceContext& context);

}  // namespace espalier::cuda
