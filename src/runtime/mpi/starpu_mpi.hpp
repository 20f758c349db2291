// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>
#include <starpu.h>

#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

/// Starts and ends StarPU together with StarPU-MPI, on a duplicate of a communicator.
///
/// Where STARPU_MPI_DRIVER_CALL_FREQUENCY is set, the progress thread of StarPU-MPI is one of the
/// CPU workers, and executes tasks between looks at messages; else it spins on a core of its own.
/// While no message is under way it sleeps, and as a worker executes no tasks. So for as long as
/// the workers are awake it waits for a message, which the rank itself sends in the end.
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
  int hook_ = -1;
  double sent_ = 0;
  double received_ = 0;
  starpu_data_handle_t to_send_ = nullptr;
  starpu_data_handle_t to_receive_ = nullptr;
};

}  // namespace espalier::internal
