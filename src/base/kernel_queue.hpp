// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace espalier::internal {

/// The kernel task queues of swCholesky: a task is run at once by the worker that released it, or
/// beside others by one worker, or by all workers together. `none`: it was in none of them.
enum class KernelQueue : std::uint8_t { none, instant, task_parallel, data_parallel };

inline constexpr std::array<std::string_view, 4> kernel_queue_names{"", "inst", "tpq", "dpq"};

constexpr std::string_view name_of(KernelQueue queue) {
  return kernel_queue_names[static_cast<std::size_t>(queue)];
}

/// What a policy with queues enters of a task, where whoever made the task wants to know. Times are
/// those of steady_seconds(), negative until they come.
struct QueueRecord {
  KernelQueue queue{};
  double submitted = -1;  ///< from then on it is in a local task queue (LTQ of symPACK)
  double ready = -1;      ///< from then on, until it begins, in a ready task queue (RTQ)
};

}  // namespace espalier::internal
