// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "distributed/factor_data.hpp"

namespace espalier::internal {

/// Factorizes the values of the last factorization with a factor. Collective.
using FactorizeOnRanks = std::function<FactorStatus(DistributedFactorData& data)>;

/// Repeats a successful factorization as delay_pivots() of one process does. Only the root has the
/// analysis, so it moves the columns, and all ranks divide the new analysis. Returns the status of
/// the repetition, or nothing if there was none. Throws the same errors on all ranks. Collective.
std::optional<FactorStatus> delay_pivots(std::unique_ptr<DistributedFactorData>& data,
                                         const FactorizeOnRanks& factorize);

/// Replaces the factor by one that chooses its pivots, for an analysis that the root passes. The
/// new factor has the history of the old one. Throws MemoryError or std::bad_alloc, on all ranks.
/// It then keeps the old factor, unless the memory is short although it was predicted to suffice.
/// Collective.
void replace_factor(std::unique_ptr<DistributedFactorData>& data,
                    std::shared_ptr<const AnalysisData> analysis);

}  // namespace espalier::internal
