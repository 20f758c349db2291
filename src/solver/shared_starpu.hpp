// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "espalier/options.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Returns a share of the StarPU instance that the users in this process share. The first share
/// starts the instance, and the end of the last share shuts it down. Throws UsageError if an option
/// differs both from its default and from the option of the running instance. Throws the errors of
/// StarpuInstance if the call starts an instance. Any thread may call this function, and any thread
/// may end a share.
std::shared_ptr<StarpuInstance> shared_starpu(const RuntimeOptions& options);

}  // namespace espalier::internal
