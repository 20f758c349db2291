// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string_view>

#include "schedulers/traits.hpp"

namespace espalier::internal {

/// A policy that comes with StarPU.
struct StarpuPolicy {
  std::string_view name;
  DeviceUse devices;
};

/// StarPU's policies (StarPU 1.4, handbook, section "Scheduling Policies"). Policies that compare
/// the end times of a task on each worker prefer devices for large tasks. The handbook
/// also describes darts, which StarPU 1.4.10 does not have.
inline constexpr std::array starpu_policies{
    StarpuPolicy{"dm", DeviceUse::ends_first},
    StarpuPolicy{"dmda", DeviceUse::ends_first},
    StarpuPolicy{"dmdap", DeviceUse::ends_first},
    StarpuPolicy{"dmdar", DeviceUse::ends_first},
    StarpuPolicy{"dmdas", DeviceUse::ends_first},
    StarpuPolicy{"dmdasd", DeviceUse::ends_first},
    StarpuPolicy{"modular-dmda", DeviceUse::ends_first},
    StarpuPolicy{"modular-dmdap", DeviceUse::ends_first},
    StarpuPolicy{"modular-dmdar", DeviceUse::ends_first},
    StarpuPolicy{"modular-dmdas", DeviceUse::ends_first},
    StarpuPolicy{"modular-heft", DeviceUse::ends_first},
    StarpuPolicy{"modular-heft-prio", DeviceUse::ends_first},
    StarpuPolicy{"modular-heft2", DeviceUse::ends_first},
    StarpuPolicy{"modular-heteroprio-heft", DeviceUse::ends_first},
    StarpuPolicy{"modular-pheft", DeviceUse::ends_first},
    StarpuPolicy{"pheft", DeviceUse::ends_first},
    StarpuPolicy{"darts", DeviceUse::any_ready},
    StarpuPolicy{"eager", DeviceUse::any_ready},
    StarpuPolicy{"graph_test", DeviceUse::any_ready},
    StarpuPolicy{"heteroprio", DeviceUse::any_ready},
    StarpuPolicy{"lws", DeviceUse::any_ready},
    StarpuPolicy{"modular-eager", DeviceUse::any_ready},
    StarpuPolicy{"modular-eager-prefetching", DeviceUse::any_ready},
    StarpuPolicy{"modular-eager-prio", DeviceUse::any_ready},
    StarpuPolicy{"modular-gemm", DeviceUse::any_ready},
    StarpuPolicy{"modular-heteroprio", DeviceUse::any_ready},
    StarpuPolicy{"modular-prandom", DeviceUse::any_ready},
    StarpuPolicy{"modular-prandom-prio", DeviceUse::any_ready},
    StarpuPolicy{"modular-prio", DeviceUse::any_ready},
    StarpuPolicy{"modular-prio-prefetching", DeviceUse::any_ready},
    StarpuPolicy{"modular-random", DeviceUse::any_ready},
    StarpuPolicy{"modular-random-prefetching", DeviceUse::any_ready},
    StarpuPolicy{"modular-random-prio", DeviceUse::any_ready},
    StarpuPolicy{"modular-random-prio-prefetching", DeviceUse::any_ready},
    StarpuPolicy{"modular-ws", DeviceUse::any_ready},
    StarpuPolicy{"peager", DeviceUse::any_ready},
    StarpuPolicy{"prio", DeviceUse::any_ready},
    StarpuPolicy{"random", DeviceUse::any_ready},
    StarpuPolicy{"ws", DeviceUse::any_ready},
};

}  // namespace espalier::internal
