// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/message_memory.hpp"

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

starpu_matrix_interface& place_of(starpu_data_handle_t data) {
  return *static_cast<starpu_matrix_interface*>(
      starpu_data_get_interface_on_node(data, STARPU_MAIN_RAM));
}

void set_memory(starpu_matrix_interface& place, void* memory) {
  place.ptr = place.dev_handle = reinterpret_cast<std::uintptr_t>(memory);
}

std::size_t bytes_of(const starpu_matrix_interface& place) {
  return std::size_t{place.nx} * place.ny * sizeof(double);
}

}  // namespace

void MessageMemory::reserve(Count bytes) {
  void* const memory = pool_.take(static_cast<std::size_t>(bytes));
  if (memory == nullptr) {
    throw MemoryError("cannot allocate " + readable_bytes(bytes) +
                      " for what ranks send each other; free memory or use more ranks");
  }
  pool_.give_back(memory, static_cast<std::size_t>(bytes));
}

bool MessageMemory::lend(starpu_data_handle_t data) {
  starpu_matrix_interface& place = place_of(data);
  void* const memory = pool_.take(bytes_of(place));
  if (memory != nullptr) set_memory(place, memory);
  return memory != nullptr;
}

void MessageMemory::take_back(starpu_data_handle_t data) {
  starpu_matrix_interface& place = place_of(data);
  pool_.give_back(reinterpret_cast<void*>(place.ptr), bytes_of(place));
  set_memory(place, nullptr);
}

}  // namespace espalier
