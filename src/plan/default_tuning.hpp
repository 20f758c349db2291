// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "base/cost_table.hpp"
#include "base/options.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Returns the defaults for processes with CUDA devices of these costs, null without any, under
/// this policy. A device needs products with longer inner dimensions than a core to be fast; how
/// long, tells what it is predicted to take for a large dense front in panels of this width or
/// that. But halo leaves whole panels to the host, and ktq most tasks, of which the widest panels
/// have few.
Tuning default_tuning(const DeviceTable* devices, const KernelCost& host, std::string_view policy);

}  // namespace espalier::internal
