// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

class PolicySettings;

/// Divides CPU workers of StarPU, which runs, as groups_of() does. The domains are the caches of
/// level 3 by hwloc, or the memories of a machine without such caches.
std::vector<std::vector<int>> worker_groups(const std::vector<int>& workers, Index groups);

/// Returns how many groups the option `groups` of `ktq` makes of all CPU workers, at least one.
Index count_worker_groups(const PolicySettings& settings);

}  // namespace espalier::internal
