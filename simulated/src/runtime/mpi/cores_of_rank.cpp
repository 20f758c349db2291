// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/rank_cores.hpp"

namespace espalier::internal {

/// Returns no cores, because each rank has its own simulated machine, to whose cores no worker is
/// bound.
std::vector<unsigned> cores_of_rank(MPI_Comm /*comm*/) { return {}; }

std::vector<SharedDevice> devices_of_rank(MPI_Comm /*comm*/, Index wanted,
                                          const SeenDevices& seen) {
  return devices_in_turn(0, {&seen, 1}, wanted);
}

}  // namespace espalier::internal
