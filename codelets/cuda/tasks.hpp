// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/cuda/device_context.hpp"

namespace espalier::cuda {

/// A task between begin() and end() of the desk: the same effect on the data, which is on the
/// device, as the task on a CPU, but for the entries of A, which are there already. They start what
/// is to be done on the stream, and return. D puts the diagonal of L behind the seconds in the
/// result, with NaN where the pivot failed.
void diagonal(std::span<const Index> message, TaskData data, Desk& desk);
void factor(std::span<const Index> message, TaskData data, Desk& desk);
void update(std::span<const Index> message, TaskData data, Desk& desk);
void assemble(std::span<const Index> message, TaskData data, Desk& desk);
void reduce(std::span<const Index> message, TaskData data, Desk& desk);
/// Tiles of supernodes.
void forward(std::span<const Index> message, TaskData data, Desk& desk);
void backward(std::span<const Index> message, TaskData data, Desk& desk);
/// A shadow with zeros.
void fill(std::span<const Index> message, TaskData data, Desk& desk);

}  // namespace espalier::cuda
