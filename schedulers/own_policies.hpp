// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <span>
#include <string_view>

namespace espalier {

/// Espalier's policies, in the order in which they are listed; a null pointer follows the last one,
/// as readers of StarPU's plugin interface expect. They live as long as the program.
std::span<starpu_sched_policy* const> own_policies();

/// The policy of that name, or null.
starpu_sched_policy* own_policy(std::string_view name);

}  // namespace espalier
