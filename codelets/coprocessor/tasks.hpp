// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/payload/envelope.hpp"

namespace espalier::coprocessor {

/// What a coprocessor's worker needs beside the message and the data of its task.
struct Desk {
  const Kernels& kernels;
  std::span<double> buffer;       ///< update_buffer_entries
  std::vector<double>& diagonal;  ///< result of D: that of L, NaN where the pivot failed
};

/// The same effect on the data as the task on a CPU, but for the entries of A, which are there
/// already.
void diagonal(MessageReader message, TaskData data, const Desk& desk);
void factor(MessageReader message, TaskData data, const Desk& desk);
void update(MessageReader message, TaskData data, const Desk& desk);
void assemble(MessageReader message, TaskData data, const Desk& desk);
void reduce(MessageReader message, TaskData data, const Desk& desk);
/// Tiles of supernodes.
void forward(MessageReader message, TaskData data, const Desk& desk);
void backward(MessageReader message, TaskData data, const Desk& desk);
/// A shadow with zeros.
void fill(MessageReader message, TaskData data, const Desk& desk);

}  // namespace espalier::coprocessor
