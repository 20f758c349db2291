// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What StarPU sees of a coprocessor with several threads.
enum class CoprocessorWorkers {
  each,  ///< each thread is a worker, with a task of its own
  one,   ///< all together are one worker, which they do each task for: HALO's Xeon Phi
};
inline std::string name_of(CoprocessorWorkers workers) {
  return workers == CoprocessorWorkers::one ? "one" : "each";
}

/// The processes that run tasks for this one.
struct Coprocessors {
  Index count = 0;
  Index threads = 1;  ///< of each
  CoprocessorWorkers workers = CoprocessorWorkers::each;

  Index threads_of_worker() const { return workers == CoprocessorWorkers::one ? threads : 1; }
};

/// Says whether this process was started to work with coprocessors, by run_with_coprocessors() or
/// by StarPU's starpu_tcpipexec.
bool has_coprocessors();

/// Starts this program again, with the same arguments, as one process that works and these others
/// that run tasks for it. Unlike starpu_tcpipexec it looks after them:
/// signals go to the process that works, whose exit code is returned, and when a coprocessor is
/// lost, for which StarPU would wait for ever, all end. Throws RuntimeFailure then, and UsageError
/// where StarPU has no such workers.
int run_with_coprocessors(const Coprocessors& coprocessors);

}  // namespace espalier::internal
