// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <optional>

namespace espalier::internal {

/// Returns whether there are workers beside CPUs. StarPU runs.
bool accelerators_take_part();

/// Returns whether messages of StarPU-MPI leave from and arrive in the memory of CUDA devices
/// without the host: where MPI says that it knows such memory, unless STARPU_MPI_GPUDIRECT is 0.
bool messages_reach_devices();

/// Returns the memory node of a CUDA device that has the data while the host does not; nothing
/// where there is none. A message leaves from there where messages reach devices. Whoever calls
/// this has acquired the data.
std::optional<unsigned> device_alone_with(starpu_data_handle_t data);

/// Returns the memory node that data should be received in where a device is to read them first: a
/// device that had them in an earlier factorization, where StarPU-MPI receives them then, else the
/// one with the most free memory. Data that wait to arrive cannot leave a device, so a new piece
/// goes to the host where it would not leave half of the device's memory free.
unsigned node_to_receive_in(starpu_data_handle_t data);

/// Returns whether what has arrived says that a task on the rank that sent it was not run because
/// of a failure (codelets/context.hpp). Whoever calls this has acquired the data to read.
bool tells_of_failure(starpu_data_handle_t data);

}  // namespace espalier::internal
