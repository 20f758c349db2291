// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <optional>

namespace espalier::internal {

/// Returns whether StarPU has workers other than CPU workers. StarPU must run.
bool accelerators_take_part();

/// Returns whether messages of StarPU-MPI go between memories of CUDA devices without the host.
/// They do if MPI reports that it supports such memory, unless STARPU_MPI_GPUDIRECT is 0.
bool messages_reach_devices();

/// Returns the memory node of a CUDA device that has the data if the host does not have them, else
/// nothing. A message is sent from this node if messages reach devices. The caller must have
/// acquired the data.
std::optional<unsigned> device_alone_with(starpu_data_handle_t data);

/// Returns the memory node that should receive data if a device reads them first. This is a device
/// that had them in an earlier factorization, because StarPU-MPI then receives them there.
/// Otherwise it is the device with the most free memory. Data that wait to arrive cannot be evicted
/// from a device, so new data go to the host if less than half of the device's memory would stay
/// free.
unsigned node_to_receive_in(starpu_data_handle_t data);

/// Returns whether received data report a failure: the sending rank skipped the task that would
/// have computed them (codelets/context.hpp). The caller must have acquired the data for reading.
bool tells_of_failure(starpu_data_handle_t data);

}  // namespace espalier::internal
