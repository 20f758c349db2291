// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "base/options.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Returns the default tuning of processes with CUDA devices. `devices` has the costs of the
/// devices; it is null if there are none. A device needs products with longer inner dimensions than
/// a core to be fast, so panels have 512 columns. They have `widest_panel` columns if a large dense
/// matrix is predicted to take less time with them. `widest_panel` is the maximum that the policy
/// allows (PolicyTraits::widest_panel); 0 gives the tuning without devices.
Tuning default_tuning(const DeviceTable* devices, const KernelCost& host, Index widest_panel);

}  // namespace espalier::internal
