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

}  // namespace espalier::internal
