// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "base/options.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Returns the default tuning of processes with CUDA devices. `devices` has the costs of the
/// devices, or is null without devices. A device is fast only for products with a longer inner
/// dimension than a core needs, so panels have 512 columns. Panels have `widest_panel` columns if
/// such panels are predicted to factor a large dense matrix in less time. `widest_panel` is the
/// maximum that the policy allows (PolicyTraits::widest_panel); 0 gives the tuning without devices.
Tuning default_tuning(const DeviceTable* devices, const KernelCost& host, Index widest_panel);

}  // namespace espalier::internal
