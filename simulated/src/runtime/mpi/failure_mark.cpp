// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/device_memory.hpp"

namespace espalier::internal {

/// Simulated tasks never fail, and data have no memory.
bool tells_of_failure(starpu_data_handle_t /*data*/) { return false; }

}  // namespace espalier::internal
