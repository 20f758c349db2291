// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "mapping/offload.hpp"
#include "runtime/starpu_instance.hpp"

namespace espalier {

/// How updates are divided between the CPUs and devices of this instance: by the options of the
/// policy `halo`, with what StarPU measured of the way to the devices' memories. Nothing where
/// another policy runs, or without devices.
std::optional<OffloadOptions> offload_options(const StarpuInstance& starpu);

}  // namespace espalier
