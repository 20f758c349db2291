// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/device_memory.hpp"

extern "C" {
/// Variable of StarPU-MPI: whether it uses CUDA memory, as decided at its start. No function of
/// StarPU-MPI returns this.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): StarPU-MPI's
extern int _starpu_mpi_has_cuda __attribute__((weak));
}

namespace espalier::internal {

namespace {

bool is_cuda(unsigned node) { return starpu_node_get_kind(node) == STARPU_CUDA_RAM; }

bool is_valid(starpu_data_handle_t data, unsigned node) {
  int valid = 0;
  starpu_data_query_status2(data, static_cast<int>(node), nullptr, &valid, nullptr, nullptr);
  return valid != 0;
}

bool has_space_for(starpu_data_handle_t data, unsigned node) {
  int allocated = 0;
  starpu_data_query_status2(data, static_cast<int>(node), &allocated, nullptr, nullptr, nullptr);
  return allocated != 0;
}

}  // namespace

bool accelerators_take_part() { return starpu_worker_get_count() > starpu_cpu_worker_get_count(); }

bool messages_reach_devices() {
  return &_starpu_mpi_has_cuda != nullptr && _starpu_mpi_has_cuda != 0;
}

std::optional<unsigned> device_alone_with(starpu_data_handle_t data) {
  std::optional<unsigned> found;
  for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node) {
    if (!is_valid(data, node)) continue;
    if (starpu_node_get_kind(node) == STARPU_CPU_RAM) return std::nullopt;
    if (is_cuda(node) && !found) found = node;
  }
  return found;
}

unsigned node_to_receive_in(starpu_data_handle_t data) {
  const auto bytes = static_cast<starpu_ssize_t>(starpu_data_get_size(data));
  unsigned best = STARPU_MAIN_RAM;
  starpu_ssize_t most = 0;
  for (unsigned node = 0; node < starpu_memory_nodes_get_count(); ++node) {
    if (!is_cuda(node)) continue;
    if (has_space_for(data, node)) return node;
    const starpu_ssize_t left = starpu_memory_get_available(node) - bytes;
    if (left <= most || left < starpu_memory_get_total(node) / 2) continue;
    best = node;
    most = left;
  }
  return best;
}

}  // namespace espalier::internal
