// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Returns no cores, because simulated workers are not bound to cores of this machine.
std::vector<Index> StarpuInstance::cores() const { return {}; }

}  // namespace espalier::internal
