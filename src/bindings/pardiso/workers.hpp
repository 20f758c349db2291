// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "espalier/espalier.hpp"

/// The number of workers that callers ask for, and the StarPU that all handles share. StarPU starts
/// at the first factorization. It keeps its number of workers as long as a handle uses it. If no
/// handle uses it and another number is asked for, the next factorization starts it again.

namespace espalier::internal {

/// Numbers of workers that callers have asked for; 0 means none.
struct WantedWorkers {
  int everywhere = 0;   ///< in the whole process
  int for_pardiso = 0;  ///< only for PARDISO; has precedence over `everywhere`
};

/// Replaces the numbers of workers that callers have asked for.
void want_workers(const WantedWorkers& workers);
/// Returns the numbers of workers that callers have asked for.
WantedWorkers wanted_workers();

/// Sets the number of workers that the calling thread asks for; 0 means none. It has precedence
/// over wanted_workers(). Returns the number before.
int want_workers_in_this_thread(int workers);

/// Returns the number of workers of the StarPU that handles use. If none uses it, returns the
/// number of the next start: the number that callers have asked for, STARPU_NCPU, MKL_NUM_THREADS,
/// OMP_NUM_THREADS, or the number of cores, whichever is given first.
int expected_workers();

/// Returns the runtime of all handles, and starts it if it does not run. `options` are the options
/// of the runtime; callers and the environment determine the number of workers unless `options`
/// does. If another part of the process runs the shared StarPU already, it keeps its settings.
std::shared_ptr<Runtime> shared_runtime(RuntimeOptions options);

}  // namespace espalier::internal
