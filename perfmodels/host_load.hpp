// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/host_load.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns the least load of this machine for so many CPU workers of a process. Its table is of as
/// many.
HostLoad least_host_load(Index workers);

}  // namespace espalier::internal
