// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"

namespace espalier::internal {

/// Multiplies the times of a table by two factors, for a processor with other rates.
///
/// - `computations` holds for the time of arithmetic operations, of overheads, and of the whole
///   history. It is the ratio of the times of one operation.
/// - `memory` holds for the time to access memory: initialising, streaming and scattering entries.
///   In an update with a target outside the caches, it holds for the time of the same update with
///   inner dimension 1, and `computations` for the rest, as in KernelCost::gemm().
void scale(CostTable& table, double computations, double memory);

}  // namespace espalier::internal
