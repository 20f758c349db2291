// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/starpu_mpi.hpp"

#include <starpu_mpi.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/backoff.hpp"
#include "espalier/error.hpp"

extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): StarPU-MPI's
extern void* _starpu_mpi_comms_cache __attribute__((weak));
}

namespace espalier::internal {

namespace {

/// Tag that neither messages of a factor nor messages of applications use.
constexpr starpu_mpi_tag_t own_tag = std::numeric_limits<starpu_mpi_tag_t>::max();

starpu_data_handle_t handle_of(double& number) {
  starpu_data_handle_t handle = nullptr;
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&number),
                                sizeof number);
  return handle;
}

/// Lets idle workers, among them the thread that handles messages, leave their cores to workers of
/// other ranks and to other processes. StarPU calls it after each search for a task that finds
/// none.
unsigned pause_if_idle(void* /*unused*/) {
  backoff_of_thread().pause();
  return 1;
}

#ifdef STARPU_MPI_HAVE_POLLING_HOOK
/// Called by StarPU-MPI after each round of polls of a progress thread that is not a worker.
void pause_between_polls(int found) {
  if (found != 0) return backoff_of_thread().reset();
  backoff_of_thread().pause();
}

bool progress_thread_pauses() { return true; }
void pause_progress_thread(bool pauses) {
  starpu_mpi_set_polling_hook(pauses ? pause_between_polls : nullptr);
}
#else
/// Without starpu-mpi-polling-hook.patch, a progress thread pauses only if it is also a worker.
bool progress_thread_pauses() { return StarpuMpi::progress_thread_computes(); }
void pause_progress_thread(bool /*pauses*/) {}
#endif

/// StarPU-MPI has no function that says whether it runs. StarPU-MPI has a communicator exactly
/// while it runs.
bool starpu_mpi_runs() {
  return starpu_is_initialized() != 0 &&
         (&_starpu_mpi_comms_cache == nullptr || _starpu_mpi_comms_cache != nullptr);
}

}  // namespace

IdlePauses::IdlePauses() : hook_(starpu_idle_hook_register(pause_if_idle, nullptr)) {
  pause_progress_thread(true);
  if (progress_thread_pauses()) without_yield_.emplace();
}

IdlePauses::~IdlePauses() {
  pause_progress_thread(false);
  if (hook_ >= 0) starpu_idle_hook_deregister(hook_);
}

OwnMessage::OwnMessage(MPI_Comm comm, Index rank)
    : comm_(comm), rank_(rank), to_send_(handle_of(sent_)), to_receive_(handle_of(received_)) {}

OwnMessage::~OwnMessage() {
  starpu_data_unregister(to_send_);
  starpu_data_unregister(to_receive_);
}

void OwnMessage::expect() {
  starpu_mpi_irecv_detached(to_receive_, rank_, own_tag, comm_, nullptr, nullptr);
}

void OwnMessage::send() {
  starpu_mpi_isend_detached(to_send_, rank_, own_tag, comm_, nullptr, nullptr);
}

StarpuMpi::StarpuMpi(MPI_Comm comm) {
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
}

StarpuMpi::~StarpuMpi() { MPI_Comm_free(&comm_); }

bool StarpuMpi::progress_thread_computes() {
  const char* const frequency = std::getenv("STARPU_MPI_DRIVER_CALL_FREQUENCY");
  return frequency != nullptr && std::strtol(frequency, nullptr, 10) > 0;
}

int StarpuMpi::start(starpu_conf& conf) {
  const int result = starpu_mpi_init_conf(nullptr, nullptr, 0, comm_, &conf);
  if (result != 0) return result;
  message_.emplace(comm_, rank_);
  return 0;
}

void StarpuMpi::stop() {
  message_.reset();
  starpu_mpi_shutdown_comm(comm_);
}

void StarpuMpi::resumed() {
  pauses_.emplace();
  message_->expect();
}

void StarpuMpi::paused() {
  message_->send();
  pauses_.reset();
}

StarpuMpiGuest::StarpuMpiGuest(const Communicator& ranks, MPI_Comm applications) {
  agree(ranks, [] {
    if (starpu_mpi_runs()) return;
    throw UsageError(
        "StarPU-MPI does not run on every rank; call starpu_mpi_init_conf first, or "
        "starpu_mpi_init_comm after starpu_init, or let Espalier start both");
  });
  message_.emplace(applications, ranks.rank());
}

void StarpuMpiGuest::stop() { message_.reset(); }

void StarpuMpiGuest::resumed() {
  pauses_.emplace();
  message_->expect();
}

void StarpuMpiGuest::paused() {
  message_->send();
  pauses_.reset();
}

}  // namespace espalier::internal
