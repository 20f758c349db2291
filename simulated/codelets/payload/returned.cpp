// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/payload/returned.hpp"

#include <array>

#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

/// On the diagonal of L: no matrix has entries beside which that counts as lost.
constexpr double sound_pivot = 1e150;

}  // namespace

/// The seconds of its kernels, which with what the device takes beside them are those that it was
/// predicted to take and has taken, and pivots that are sound.
AcceleratorResult returned_for(const starpu_task& /*task*/, const BoundTask& bound) {
  static std::array<double, largest_payload / sizeof(double)> result;
  if (starpu_worker_get_type(starpu_worker_get_id_check()) != STARPU_CUDA_WORKER) return {};
  result.fill(sound_pivot);
  result.front() = bound.shape.device_seconds - simulated_devices()->costs.task;
  const Index entries = 1 + returned_entries(bound.shape.kind, bound.shape.n);
  return AcceleratorResult(result).first(static_cast<std::size_t>(entries));
}

}  // namespace espalier::internal
