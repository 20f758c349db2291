// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns the size of all last-level caches of this machine together, in bytes; 0 if hwloc does
/// not know it.
Count last_level_cache_bytes();

}  // namespace espalier::internal
