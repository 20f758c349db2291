// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/task_data.hpp"

namespace espalier::internal {

namespace {

starpu_data_handle_t handle_of(const void* data) {
  return static_cast<starpu_data_handle_t>(const_cast<void*>(data));
}

bool is_valid(const void* data, unsigned memory) {
  int valid = 0;
  starpu_data_query_status(handle_of(data), static_cast<int>(memory), nullptr, &valid, nullptr);
  return valid != 0;
}

}  // namespace

std::vector<DeviceMemory::Piece> pieces_of(starpu_task* task, bool read_only) {
  std::vector<DeviceMemory::Piece> pieces;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    if (read_only && (STARPU_TASK_GET_MODE(task, i) & STARPU_W) != 0) continue;
    const starpu_data_handle_t data = STARPU_TASK_GET_HANDLE(task, i);
    pieces.push_back({data, static_cast<Count>(starpu_data_get_size(data))});
  }
  return pieces;
}

bool can_evict(const void* data, unsigned memory) {
  const bool is_last_copy = is_valid(data, memory) && !is_valid(data, STARPU_MAIN_RAM);
  return !is_last_copy && starpu_data_can_evict(handle_of(data), memory, STARPU_FETCH) != 0;
}

bool evict(const void* data, unsigned memory) {
  return can_evict(data, memory) && starpu_data_evict_from_node(handle_of(data), memory) == 0;
}

void copy_home(const void* data) {
  constexpr unsigned without_waiting = 1;
  starpu_data_prefetch_on_node(handle_of(data), STARPU_MAIN_RAM, without_waiting);
}

}  // namespace espalier::internal
