// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "codelets/cuda/functions.hpp"
#include "espalier/types.hpp"
#include "runtime/starpu/device_facts.hpp"

namespace espalier::internal {

/// Returns the part of `cores` for one of several ranks that share them. The sizes of the parts
/// differ by at most one core. If there are fewer cores than ranks, each rank gets one core.
std::vector<unsigned> share_of(std::span<const unsigned> cores, Index rank, Index ranks);

/// Returns the cores for the workers of this rank: the cores to which mpirun or a batch system has
/// bound it. If several ranks of one machine are bound to the same cores, or to none, the ranks
/// share these cores, or all cores, in nearly equal parts. The number of a core is StarPU's number
/// of its first hardware thread. Collective.
std::vector<unsigned> cores_of_rank(MPI_Comm comm);

/// Devices that a rank sees, indexed by the rank's number of the device.
using SeenDevices = std::vector<cuda::DeviceIdentity>;

/// Returns at most `wanted` CUDA devices for this rank. Among the devices that the rank sees,
/// chooses the devices with the fewest users among the lower ranks of the same machine. So ranks
/// share devices only if there are too few. Collective.
std::vector<SharedDevice> devices_of_rank(MPI_Comm comm, Index wanted, const SeenDevices& seen);
/// Returns the result of devices_of_rank() for rank `rank` of a machine whose ranks see the devices
/// `seen`.
std::vector<SharedDevice> devices_in_turn(Index rank, std::span<const SeenDevices> seen,
                                          Index wanted);

}  // namespace espalier::internal
