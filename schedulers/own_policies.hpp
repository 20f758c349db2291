// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <span>
#include <string_view>

namespace espalier {

/// Whether StarPU will have, or has, workers beside CPUs: coprocessors.
bool devices_expected();

/// Espalier's policies, in the order in which they are listed; a null pointer follows the last one,
/// as readers of StarPU's plugin interface expect. They live as long as the program. `halo` is
/// among them where devices are expected.
std::span<starpu_sched_policy* const> own_policies();

/// The policy of that name, listed or not, or null.
starpu_sched_policy* own_policy(std::string_view name);

}  // namespace espalier
