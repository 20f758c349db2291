// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/payload/returned.hpp"

#include <array>

#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

/// Entry on the diagonal of L. It is so large that it passes the pivot check for any matrix.
constexpr double sound_pivot = 1e150;

}  // namespace

/// Returns the result of a device: the time of the task's kernels, and pivots that pass the check.
/// The time of the kernels and the device's time per task add up to the predicted time, which is
/// also the simulated time.
AcceleratorResult returned_for(const starpu_task& /*task*/, const BoundTask& bound) {
  static std::array<double, largest_payload / sizeof(double)> result;
  if (starpu_worker_get_type(starpu_worker_get_id_check()) != STARPU_CUDA_WORKER) return {};
  result.fill(sound_pivot);
  result.front() = bound.shape.device_seconds - simulated_devices()->costs.task;
  const Index entries = 1 + bound.type->results(*bound.arguments, bound.shape);
  return AcceleratorResult(result).first(static_cast<std::size_t>(entries));
}

}  // namespace espalier::internal
