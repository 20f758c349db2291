// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "base/options.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Returns the defaults for processes with CUDA devices of these costs, null without any. A device
/// needs products with longer inner dimensions than a core to be fast. So panels have 512 columns,
/// or `widest_panel` if a large dense front is predicted to take less time with these, and no more
/// than the policy allows (PolicyTraits::widest_panel; 0: as without devices).
Tuning default_tuning(const DeviceTable* devices, const KernelCost& host, Index widest_panel);

}  // namespace espalier::internal
