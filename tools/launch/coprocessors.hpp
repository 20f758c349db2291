// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Says whether this process was started to work with coprocessors, by run_with_coprocessors() or
/// by StarPU's starpu_tcpipexec.
bool has_coprocessors();

/// Starts this program again, with the same arguments, as one process that works and `count` others
/// that run tasks for it, each on so many threads. Unlike starpu_tcpipexec it looks after them:
/// signals go to the process that works, whose exit code is returned, and when a coprocessor is
/// lost, for which StarPU would wait for ever, all end. Throws RuntimeFailure then, and UsageError
/// where StarPU has no such workers.
int run_with_coprocessors(Index count, Index threads);

}  // namespace espalier::internal
