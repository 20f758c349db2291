// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "espalier/options.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Returns a share of the one private StarPU of this process that is shared: the first share starts
/// it, and the end of the last one shuts it down. Throws UsageError where options other than the
/// defaults contradict the one that runs, and as StarpuInstance does where it starts one. Any
/// thread may call it, and end a share.
std::shared_ptr<StarpuInstance> shared_starpu(const RuntimeOptions& options);

}  // namespace espalier::internal
