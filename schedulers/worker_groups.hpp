// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

class PolicySettings;

/// Returns which cache of level 3 a CPU worker of StarPU has, by hwloc, or which memory on a
/// machine without such caches. One that is not bound to cores of one of them counts to the first.
Index domain_of_worker(int worker);

/// Divides CPU workers of StarPU, which runs, as groups_of() does, by these domains.
std::vector<std::vector<int>> worker_groups(const std::vector<int>& workers, Index groups);

/// Returns how many groups the option `groups` of `ktq` makes of all CPU workers, at least one.
Index count_worker_groups(const PolicySettings& settings);

}  // namespace espalier::internal
