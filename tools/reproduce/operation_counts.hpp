// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "reproduce/figure.hpp"

namespace espalier::internal {

inline constexpr std::array dense_operations{"potrf", "trsm", "syrk", "gemm"};

/// Number of calls of one operation in one phase, on CPUs or on devices, and their flops.
struct OperationSum {
  double count = 0;
  double flops = 0;
};

/// The operations of a run in one phase, on CPUs and on devices. The index is the position in
/// `dense_operations`.
struct OperationSides {
  std::array<OperationSum, dense_operations.size()> cpu{};
  std::array<OperationSum, dense_operations.size()> device{};
};

/// Reads the phase "factor" or "solve" from the `operations` in the report of a run.
OperationSides operations_of(const nlohmann::ordered_json& report, const std::string& phase);

/// Adds the columns of symPACK's figure 6 and the claim of the paper to a figure whose rows are
/// `dense_operations`. If devices ran nothing in a phase, the conditions say so.
void add_operations(Figure& figure, const nlohmann::ordered_json& report);

}  // namespace espalier::internal
