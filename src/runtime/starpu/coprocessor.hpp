// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns whether StarPU was built with its TCP/IP master-slave mode: coprocessors are other
/// processes that run tasks for this one.
bool coprocessors_supported();

/// Returns whether StarPU has tools/starpu/starpu-safe-connections.patch: only processes of this
/// run connect to each other while coprocessors start. Without it StarPU takes whoever comes.
bool coprocessors_are_safe();

/// Returns whether copies to and from coprocessors are to be asynchronous, beside so many workers
/// of this process. StarPU has to have tools/starpu/starpu-copies-both-ways.patch: without it two
/// large ones, each way one, end in a deadlock once the buffers of their connection are full,
/// because StarPU's threads on both sides write without reading then. And a core has to be free
/// for the thread that carries them: with one worker and one coprocessor on two cores,
/// factorizations took 0 to 4 % longer. STARPU_DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY decides instead.
bool copies_may_cross(Index workers);

/// Whether the environment makes this process a coprocessor of another one.
bool is_coprocessor();

/// The environment says by this, to all processes, how many threads the one worker of each
/// coprocessor has; unset, or 1, where STARPU_NTCPIPMSTHREADS has as many workers of one thread.
inline constexpr const char* coprocessor_threads_variable = "ESPALIER_COPROCESSOR_THREADS";

/// Returns how many threads do a task of a coprocessor together.
Index threads_of_coprocessor_worker();

/// Returns how many threads of a coprocessor do tasks, those of all its workers.
Index threads_of_coprocessor();

/// Runs tasks for that process until it has done with StarPU. StarPU then ends this process; the
/// function returns only by throwing RuntimeFailure, where StarPU did not start.
[[noreturn]] void serve_as_coprocessor();

/// While it lives, StarPU's threads that drive coprocessors sleep a moment whenever they find
/// nothing to do. Left alone they ask their sockets without a pause, which costs a core: that of
/// a CPU worker, or the coprocessor's own where it is on this machine. StarPU runs before and
/// after.
class DriverRest {
 public:
  DriverRest();
  ~DriverRest();
  DriverRest(const DriverRest&) = delete;
  DriverRest& operator=(const DriverRest&) = delete;

 private:
  int hook_;
};

}  // namespace espalier::internal
