// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "codelets/cuda/functions.hpp"
#include "espalier/types.hpp"
#include "runtime/starpu/device_facts.hpp"

namespace espalier::internal {

/// Returns the part of `cores` for one of several ranks that share them: all parts have as many,
/// give or take one; where there are fewer cores than ranks, one core each.
std::vector<unsigned> share_of(std::span<const unsigned> cores, Index rank, Index ranks);

/// Returns where the workers of this rank go: to the cores that mpirun or a batch system bound it
/// to, and where ranks on one machine are bound to the same cores, or to none, to its share of
/// these. A core by StarPU's number of its first hardware thread. Collective.
std::vector<unsigned> cores_of_rank(MPI_Comm comm);

/// Devices that a rank sees, by the numbers that it has for them.
using SeenDevices = std::vector<cuda::DeviceIdentity>;

/// Returns the CUDA devices for this rank, of those that it sees: the next `wanted` after those of
/// the ranks before it on its machine; where there are fewer, ranks share them in turn. Collective.
std::vector<SharedDevice> devices_of_rank(MPI_Comm comm, Index wanted, const SeenDevices& seen);
/// Returns the same for the rank of this number on a machine whose ranks see these devices.
std::vector<SharedDevice> devices_in_turn(Index rank, std::span<const SeenDevices> seen,
                                          Index wanted);

}  // namespace espalier::internal
