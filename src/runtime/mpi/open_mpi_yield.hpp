// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// While an object lives, Open MPI does not yield the core when MPI_Test finds nothing, which it
/// does in processes that mpirun calls oversubscribed. A thread that polls pauses by itself then.
/// On a busy core each yield costs a time slice of another process. Calls that block inside MPI
/// spin meanwhile, so the objects live for single waits and for the time in which StarPU runs
/// tasks. Does nothing with another MPI.
class WithoutYield {
 public:
  WithoutYield();
  ~WithoutYield();
  WithoutYield(const WithoutYield&) = delete;
  WithoutYield& operator=(const WithoutYield&) = delete;
};

}  // namespace espalier::internal
