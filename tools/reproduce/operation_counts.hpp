// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "reproduce/figure.hpp"

namespace espalier::internal {

inline constexpr std::array dense_operations{"potrf", "trsm", "syrk", "gemm"};

/// What a run did of one operation on one side, in one phase.
struct OperationSum {
  double count = 0;
  double flops = 0;
};

/// What the CPUs and the devices of a run did of each operation in a phase, by its place in
/// `dense_operations`.
struct OperationSides {
  std::array<OperationSum, dense_operations.size()> cpu{};
  std::array<OperationSum, dense_operations.size()> device{};
};

/// Reads the phase "factor" or "solve" of the `operations` in the report of a run.
OperationSides operations_of(const nlohmann::ordered_json& report, const std::string& phase);

/// Returns whether devices did some of each operation that there was.
bool offloads_each(const OperationSides& sides);

/// Adds the columns of symPACK's figure 6 to one whose rows are `dense_operations`, and what the
/// paper claims; where devices did nothing, the conditions say so.
void add_operations(Figure& figure, const nlohmann::ordered_json& report);

}  // namespace espalier::internal
