// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace espalier::internal {

/// The kernel task queue of swCholesky in which a task was. `instant`: the worker that released the
/// task ran it at once. `task_parallel`: one worker ran it while other workers ran other tasks.
/// `data_parallel`: all workers ran it together. `none`: it was in no queue.
enum class KernelQueue : std::uint8_t { none, instant, task_parallel, data_parallel };

inline constexpr std::array<std::string_view, 4> kernel_queue_names{"", "inst", "tpq", "dpq"};

constexpr std::string_view name_of(KernelQueue queue) {
  return kernel_queue_names[static_cast<std::size_t>(queue)];
}

/// Queue and times of a task, which a policy with queues records if the task asks for them. Times
/// are in seconds of steady_seconds(), negative before the event.
struct QueueRecord {
  KernelQueue queue{};
  double submitted = -1;  ///< time at which it entered a local task queue (LTQ of symPACK)
  double ready = -1;      ///< time at which it entered a ready task queue (RTQ) to wait there
};

}  // namespace espalier::internal
