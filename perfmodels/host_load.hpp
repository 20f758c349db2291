// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/host_load.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns the smallest load factors on this machine for `workers` CPU workers of a process. They
/// are 1, because the cost table was measured with this number of busy workers.
HostLoad least_host_load(Index workers);

}  // namespace espalier::internal
