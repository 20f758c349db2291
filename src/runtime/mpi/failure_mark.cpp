// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "codelets/codelet.hpp"
#include "codelets/context.hpp"
#include "runtime/mpi/device_memory.hpp"

namespace espalier::internal {

bool tells_of_failure(starpu_data_handle_t data) {
  const unsigned node = device_alone_with(data).value_or(STARPU_MAIN_RAM);
  double first = 0;
  const MatrixView there = view_of(starpu_data_get_interface_on_node(data, node));
  if (node == STARPU_MAIN_RAM) {
    first = *there.data;
  } else {
    starpu_interface_copy(reinterpret_cast<std::uintptr_t>(there.data), 0, node,
                          reinterpret_cast<std::uintptr_t>(&first), 0, STARPU_MAIN_RAM,
                          sizeof first, nullptr);
  }
  return is_failure_mark(first);
}

}  // namespace espalier::internal
