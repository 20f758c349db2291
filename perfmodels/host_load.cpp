// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/host_load.hpp"

namespace espalier::internal {

HostLoad least_host_load(Index /*workers*/) { return {}; }

}  // namespace espalier::internal
