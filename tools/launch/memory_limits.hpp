// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

/// Memory that libraries use without being asked. OpenBLAS maps a buffer of 128 MiB for each thread
/// that calls it, and tries again forever if limits or the system refuse it.
namespace espalier::internal {

/// Starts the program again with OPENBLAS_NUM_THREADS=1 if the system limits memory or threads:
/// `ulimit -v`, `ulimit -d` or `ulimit -u`, or too little memory for a buffer per core. Otherwise
/// OpenBLAS would start a thread with a buffer for each core when it is loaded, and end the program
/// if it cannot. Tasks need none of these threads.
///
/// The loader must run this function before the constructors of libraries. It may therefore use
/// only system calls. Ends the program with exit code 7 if it cannot be started again.
void limit_blas_threads(int argc, char** argv, char** environment) noexcept;

/// Starts the program again with a better value of OPENBLAS_CORETYPE if OpenBLAS takes the
/// processor for an older one, whose kernels are several times slower. OpenBLAS reads this variable
/// while it is loaded. Does nothing if the user has set the variable. Must be called before other
/// threads or MPI start. If the program cannot be started again, it goes on.
void take_better_blas_core(char** argv);

/// Throws MemoryError if the limit on stacks (ulimit -s) is below 512 KiB. The C library takes the
/// thread-local variables of all libraries from the stack of each thread: 90 KiB for OpenBLAS and
/// METIS. A kernel for L J Lᵀ takes 110 KiB.
void expect_stack_for_threads();

/// Throws MemoryError if limits (ulimit -v, ulimit -d) leave too little memory for the program with
/// this number of workers and `bytes` more. Within such limits StarPU would abort when a thread
/// does not start. Throws as expect_stack_for_threads(). Also reserves the BLAS buffers of the
/// workers, so that no task has to wait for one. No other thread may call it at the same time.
void expect_memory_for_workers(Index workers, Count bytes = 0);

}  // namespace espalier::internal
