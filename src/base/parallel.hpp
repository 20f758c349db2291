// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Time to start a thread, for the thread that starts it, in seconds.
inline constexpr double thread_start_seconds = 20e-6;

/// Calls body(task) once for each task in [0, tasks), on at most `workers` threads including the
/// calling one. With one worker this is a plain loop. The call starts the other threads
/// (thread_start_seconds each), or fewer if the system refuses more. A free thread takes the next
/// task. After the first exception no more tasks start, and the call throws it again.
void parallel_for(Index tasks, Index workers, const std::function<void(Index)>& body);

/// Divides [0, n) into ranges of nearly equal length, a few per worker but each at least `grain`
/// long, and calls body(begin, end) for each as parallel_for() does.
void parallel_ranges(Index n, Index grain, Index workers,
                     const std::function<void(Index, Index)>& body);

}  // namespace espalier::internal
