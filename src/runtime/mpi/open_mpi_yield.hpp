// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Stops Open MPI, during the lifetime of the object, from yielding the core when MPI_Test finds no
/// message. Open MPI yields in processes that mpirun calls oversubscribed. On a busy core, a thread
/// that yields has to wait for a time slice of another process. Threads of Espalier need no yield,
/// because they pause between polls. While an object lives, calls that block inside MPI spin. So
/// objects live only for single waits and while StarPU runs tasks. Has no effect with another MPI.
class WithoutYield {
 public:
  WithoutYield();
  ~WithoutYield();
  WithoutYield(const WithoutYield&) = delete;
  WithoutYield& operator=(const WithoutYield&) = delete;
};

}  // namespace espalier::internal
