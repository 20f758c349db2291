// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include <optional>

#include "runtime/mpi/communicator.hpp"
#include "runtime/mpi/open_mpi_yield.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Lets workers without a task, and the progress thread without a message, pause during the
/// lifetime of the object. These threads first stay awake and then sleep, so that waiting ranks
/// leave their cores to other threads. A progress thread that is not a worker pauses only with the
/// patch tools/starpu/starpu-mpi-polling-hook.patch. Without the patch, MPI decides whether the
/// polls of this thread yield.
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

/// A message from a rank to itself, which keeps the progress thread of StarPU-MPI awake while the
/// workers are awake. If STARPU_MPI_DRIVER_CALL_FREQUENCY is set, the progress thread is one of the
/// CPU workers and runs tasks between polls for messages. Otherwise the progress thread polls on a
/// separate core. In both cases it sleeps when no message is pending, and a sleeping worker runs no
/// tasks. StarPU must run during the lifetime of the object.
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

  /// Returns whether the environment makes the progress thread a worker.
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

/// Launcher for applications that run StarPU-MPI themselves. Messages use the communicator of the
/// application, not a duplicate. If StarPU-MPI 1.4 has used several communicators, it may leave a
/// receive on some of them posted when it ends. That receive would take a message that is meant for
/// the next StarPU-MPI.
class StarpuMpiGuest : public StarpuLauncher {
 public:
  /// Throws UsageError if StarPU or StarPU-MPI does not run. Collective.
  StarpuMpiGuest(const Communicator& ranks, MPI_Comm applications);

  void stop() override;
  void resumed() override;
  void paused() override;

 private:
  std::optional<OwnMessage> message_;
  std::optional<IdlePauses> pauses_;
};

}  // namespace espalier::internal
