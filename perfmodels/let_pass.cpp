// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"
#include "perfmodels/phase_watch.hpp"

namespace espalier::internal {

double let_pass(const WorkRecord& work, Index workers) {
  return work.replay({.workers = workers, .thread_start = thread_start_seconds});
}

}  // namespace espalier::internal
