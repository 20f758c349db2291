// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <optional>

#include "runtime/mpi/communicator.hpp"
#include "runtime/mpi/open_mpi_yield.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// While an object lives, workers without a task and the progress thread without a message pause,
/// first awake and then asleep, so that waiting ranks leave their cores to other threads. A
/// progress thread that is not a worker pauses only with
/// tools/starpu/starpu-mpi-polling-hook.patch; without it MPI decides whether its polls yield.
class IdlePauses {
 public:
  IdlePauses();
  ~IdlePauses();
  IdlePauses(const IdlePauses&) = delete;
  IdlePauses& operator=(const IdlePauses&) = delete;

 private:
  int hook_;
  std::optional<WithoutYield> without_yield_;
};

/// A message that a rank sends itself. Where STARPU_MPI_DRIVER_CALL_FREQUENCY is set, the progress
/// thread of StarPU-MPI is one of the CPU workers, and executes tasks between looks at messages;
/// else it polls on a core of its own. While no message is under way it sleeps, and as a worker
/// executes no tasks. So for as long as the workers are awake it waits for this one. StarPU runs
/// while the object lives.
class OwnMessage {
 public:
  OwnMessage(MPI_Comm comm, Index rank);
  ~OwnMessage();
  OwnMessage(const OwnMessage&) = delete;
  OwnMessage& operator=(const OwnMessage&) = delete;

  void expect();
  void send();

 private:
  MPI_Comm comm_;
  Index rank_;
  double sent_ = 0;
  double received_ = 0;
  starpu_data_handle_t to_send_;
  starpu_data_handle_t to_receive_;
};

/// Starts and ends StarPU together with StarPU-MPI, on a duplicate of a communicator.
class StarpuMpi : public StarpuLauncher {
 public:
  /// Collective.
  explicit StarpuMpi(MPI_Comm comm);
  ~StarpuMpi() override;
  StarpuMpi(const StarpuMpi&) = delete;
  StarpuMpi& operator=(const StarpuMpi&) = delete;

  /// Returns whether the progress thread is to be a worker.
  static bool progress_thread_computes();
  /// Returns the communicator of StarPU-MPI's messages.
  MPI_Comm comm() const { return comm_; }
  Index rank() const { return rank_; }

  int start(starpu_conf& conf) override;
  void stop() override;
  void resumed() override;
  void paused() override;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::optional<OwnMessage> message_;
  std::optional<IdlePauses> pauses_;
};

/// The time between resumed() and paused() where the application runs StarPU-MPI. Messages go by
/// the application's communicator, not by a duplicate: where StarPU-MPI 1.4 has met several and
/// ends, it may leave a receive of some of them posted, which takes a message from the next one.
class StarpuMpiGuest : public StarpuLauncher {
 public:
  /// Throws UsageError where StarPU or StarPU-MPI does not run. Collective.
  StarpuMpiGuest(const Communicator& ranks, MPI_Comm applications);

  void stop() override;
  void resumed() override;
  void paused() override;

 private:
  std::optional<OwnMessage> message_;
  std::optional<IdlePauses> pauses_;
};

}  // namespace espalier::internal
