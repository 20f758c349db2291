// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Simulated workers are bound to no core of this machine.
std::vector<Index> StarpuInstance::cores() const { return {}; }

}  // namespace espalier::internal
