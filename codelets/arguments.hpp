// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/dense_view.hpp"
#include "codelets/context.hpp"

namespace espalier {

/// The data of a task, in the order of its accesses.
using TaskData = std::span<const MatrixView>;

/// Begins the arguments of every task. What a task does is a member `run(data, worker)` of its
/// arguments, called by a codelet or, without StarPU, by the sequential executor.
struct Arguments {
  FactorContext* context = nullptr;
};

}  // namespace espalier
