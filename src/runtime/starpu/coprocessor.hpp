// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns whether StarPU was built with its TCP/IP master-slave mode. In this mode coprocessors
/// are other processes that run tasks for this one.
bool coprocessors_supported();

/// Returns whether StarPU has the patch tools/starpu/starpu-safe-connections.patch. With it, only
/// processes of this run can connect to each other while coprocessors start. Without it, StarPU
/// accepts any connection.
bool coprocessors_are_safe();

/// Returns whether copies to and from coprocessors should be asynchronous if this process has
/// `workers` workers. Asynchronous copies need the following:
/// - The patch tools/starpu/starpu-copies-both-ways.patch. Without it, two large copies in opposite
///   directions deadlock when the buffers of their connection are full, because StarPU's threads at
///   both ends then write without reading.
/// - A free core for the thread that carries the copies.
/// If STARPU_DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY is set, this variable decides instead.
bool copies_may_cross(Index workers);

/// Returns whether the environment makes this process a coprocessor of another one.
bool is_coprocessor();

/// Environment variable with the number of threads of a coprocessor that has one worker. All
/// processes read it. If it is unset or 1, a coprocessor has STARPU_NTCPIPMSTHREADS workers with
/// one thread each.
inline constexpr const char* coprocessor_threads_variable = "ESPALIER_COPROCESSOR_THREADS";

/// Returns the number of threads that run a task of a coprocessor together.
Index threads_of_coprocessor_worker();

/// Returns the number of threads that run tasks in a coprocessor, over all its workers.
Index threads_of_coprocessor();

/// Runs tasks for the other process until that process stops StarPU. StarPU then ends this process.
/// The function never returns; it throws RuntimeFailure if StarPU does not start.
[[noreturn]] void serve_as_coprocessor();

/// Makes StarPU's threads that drive coprocessors sleep briefly, during its lifetime, whenever they
/// find no work. Otherwise these threads poll their sockets without a pause and occupy a core: the
/// core of a CPU worker, or of the coprocessor if it runs on this machine. StarPU must run in the
/// constructor and in the destructor.
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
