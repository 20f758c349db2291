// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

/// The room that libraries take unasked, and never give up trying to get: OpenBLAS maps a buffer of
/// 128 MiB for each thread that calls it, and tries for ever where limits or the system refuse it.
namespace espalier::internal {

/// Starts the program again with OPENBLAS_NUM_THREADS=1 where the system limits what it may map, as
/// `ulimit -v` and `ulimit -d` do, has no room for a buffer on each core, or may refuse a thread
/// for each core (`ulimit -u`): OpenBLAS would start a thread with a buffer for each core as soon
/// as it is loaded, and ends the program where it cannot; tasks use none of them. Goes where the
/// loader runs it before the constructors of libraries, so that it may call the system alone. Ends
/// the program with exit code 7 where it cannot be started again.
void limit_blas_threads(int argc, char** argv, char** environment) noexcept;

/// Starts the program again where OpenBLAS takes the processor for an older one, whose kernels are
/// several times slower, and the user has not named one (OPENBLAS_CORETYPE, which OpenBLAS reads
/// while it is loaded). Goes before there are other threads or MPI. Where the program cannot be
/// started again it goes on.
void take_better_blas_core(char** argv);

/// Throws MemoryError where limits (ulimit -v, ulimit -d) leave no room for what so many workers
/// and the program map, and `bytes` more. Takes the BLAS's buffers for these workers, so that no
/// task has to wait for one; no other thread may call it. Behind the limits StarPU aborts for a
/// thread that it cannot start.
void expect_room_for_workers(Index workers, Count bytes = 0);

}  // namespace espalier::internal
