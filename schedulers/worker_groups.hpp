// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

class PolicySettings;

/// Returns the number of the level 3 cache of a CPU worker (by hwloc). On a machine without such
/// caches, returns the number of its memory. A worker that is not bound to the cores of one cache
/// or memory has the number of the first one.
Index domain_of_worker(int worker);

/// Divides CPU workers by these domains; see groups_of(). StarPU must be running.
std::vector<std::vector<int>> worker_groups(const std::vector<int>& workers, Index groups);

/// Returns the number of groups that the option `groups` of `ktq` makes of all CPU workers, at
/// least 1.
Index count_worker_groups(const PolicySettings& settings);

}  // namespace espalier::internal
