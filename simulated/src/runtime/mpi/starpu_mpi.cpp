// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/starpu_mpi.hpp"

#include <starpu_mpi.h>

namespace espalier::internal {

/// StarPU-MPI only simulates the ranks of MPI_COMM_WORLD.
StarpuMpi::StarpuMpi(MPI_Comm /*comm*/) : comm_(MPI_COMM_WORLD), rank_(starpu_mpi_world_rank()) {}

StarpuMpi::~StarpuMpi() = default;

/// Returns true because the simulated progress thread, like one that computes, needs no core in
/// addition to those of the workers.
bool StarpuMpi::progress_thread_computes() { return true; }

int StarpuMpi::start(starpu_conf& conf) {
  return starpu_mpi_init_conf(nullptr, nullptr, 0, comm_, &conf);
}

void StarpuMpi::stop() { starpu_mpi_shutdown_comm(comm_); }

void StarpuMpi::resumed() {}

void StarpuMpi::paused() {}

IdlePauses::IdlePauses() : hook_(-1) {}

IdlePauses::~IdlePauses() = default;

OwnMessage::OwnMessage(MPI_Comm comm, Index rank)
    : comm_(comm), rank_(rank), to_send_(nullptr), to_receive_(nullptr) {}

OwnMessage::~OwnMessage() = default;

/// Does nothing, because no application runs a simulated StarPU.
StarpuMpiGuest::StarpuMpiGuest(const Communicator& /*ranks*/, MPI_Comm /*applications*/) {}

void StarpuMpiGuest::stop() {}

void StarpuMpiGuest::resumed() {}

void StarpuMpiGuest::paused() {}

}  // namespace espalier::internal
