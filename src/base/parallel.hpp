// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What starting a thread keeps the thread busy that starts it, in seconds.
inline constexpr double thread_start_seconds = 20e-6;

/// Calls body(task) for every task in [0, tasks), each once, on at most `workers` threads, of which
/// the calling one is the first: with one worker this is a plain loop. Threads are started for the
/// call (thread_start_seconds each), fewer where the system has no room for more, and a free one
/// takes the next task. The first exception stops the rest and is thrown again here.
void parallel_for(Index tasks, Index workers, const std::function<void(Index)>& body);

/// Calls body(begin, end) in the same way for ranges of nearly equal length that [0, n) is cut
/// into, a few for each worker but none shorter than `grain`.
void parallel_ranges(Index n, Index grain, Index workers,
                     const std::function<void(Index, Index)>& body);

}  // namespace espalier::internal
