// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/types.hpp"

namespace espalier::internal {

/// How StarPU sees a coprocessor with several threads.
enum class CoprocessorWorkers {
  each,  ///< each thread is a worker with separate tasks
  one,   ///< all threads together form one worker and share each task, like HALO's Xeon Phi
};
inline std::string name_of(CoprocessorWorkers workers) {
  return workers == CoprocessorWorkers::one ? "one" : "each";
}

/// The processes that run tasks for this one.
struct Coprocessors {
  Index count = 0;
  Index threads = 1;  ///< threads of each coprocessor
  CoprocessorWorkers workers = CoprocessorWorkers::each;

  Index threads_of_worker() const { return workers == CoprocessorWorkers::one ? threads : 1; }
};

/// Returns whether this process was started to work with coprocessors, either by
/// run_with_coprocessors() or by StarPU's starpu_tcpipexec.
bool has_coprocessors();

/// Starts this program again, with the same arguments: one worker process, and the coprocessors
/// that run tasks for it. Returns the exit code of the worker process.
///
/// Unlike starpu_tcpipexec, it handles signals and failures. Signals are passed to the worker
/// process. If a coprocessor is lost, all processes end and RuntimeFailure is thrown; StarPU would
/// wait forever. Throws UsageError if StarPU has no such workers.
int run_with_coprocessors(const Coprocessors& coprocessors);

}  // namespace espalier::internal
