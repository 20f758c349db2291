// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/task_data.hpp"

#include <cstdint>

namespace espalier::internal {

namespace {

starpu_data_handle_t handle_of(const void* data) {
  return static_cast<starpu_data_handle_t>(const_cast<void*>(data));
}

}  // namespace

bool is_valid(const void* data, unsigned memory) {
  int valid = 0;
  starpu_data_query_status(handle_of(data), static_cast<int>(memory), nullptr, &valid, nullptr);
  return valid != 0;
}

std::vector<DeviceMemory::Piece> pieces_of(starpu_task* task, bool read_only) {
  std::vector<DeviceMemory::Piece> pieces;
  for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); ++i) {
    if (read_only && (STARPU_TASK_GET_MODE(task, i) & STARPU_W) != 0) continue;
    const starpu_data_handle_t data = STARPU_TASK_GET_HANDLE(task, i);
    pieces.push_back({data, static_cast<Count>(starpu_data_get_size(data))});
  }
  return pieces;
}

std::vector<DeviceMemory::Piece> missing(std::span<const DeviceMemory::Piece> pieces,
                                         unsigned memory) {
  std::vector<DeviceMemory::Piece> those;
  for (const auto& piece : pieces) {
    int is_there = 0;
    starpu_data_query_status(handle_of(piece.data), static_cast<int>(memory), &is_there, nullptr,
                             nullptr);
    if (is_there == 0) those.push_back(piece);
  }
  return those;
}

bool can_allocate(std::span<const DeviceMemory::Piece> pieces, unsigned memory) {
  constexpr int uncounted = 0;
  std::vector<std::uintptr_t> places;
  for (const auto& piece : pieces) {
    const std::uintptr_t place =
        starpu_malloc_on_node_flags(memory, static_cast<std::size_t>(piece.bytes), uncounted);
    if (place == 0) break;
    places.push_back(place);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    starpu_free_on_node_flags(memory, places[i], static_cast<std::size_t>(pieces[i].bytes),
                              uncounted);
  }
  return places.size() == pieces.size();
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
