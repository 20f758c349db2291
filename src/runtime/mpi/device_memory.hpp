// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <optional>

namespace espalier::internal {

/// Returns whether StarPU has workers other than CPU workers. StarPU must run.
bool accelerators_take_part();

/// Returns whether messages of StarPU-MPI go between memories of CUDA devices without the host.
/// This is so if MPI reports that it supports the memory of CUDA devices, unless
/// STARPU_MPI_GPUDIRECT is 0.
bool messages_reach_devices();

/// Returns the memory node of a CUDA device that has the data if the host does not have them, else
/// nothing. A message is sent from this node if messages reach devices. The caller must have
/// acquired the data.
std::optional<unsigned> device_alone_with(starpu_data_handle_t data);

/// Returns the memory node that should receive data if a device reads them first. If a device had
/// the data in an earlier factorization, returns this device, because StarPU-MPI then receives the
/// data there. Otherwise considers only devices with at least half of their memory free afterwards,
/// because data that wait to arrive cannot be evicted. Returns the one with the most free memory,
/// or the host if there is no such device.
unsigned node_to_receive_in(starpu_data_handle_t data);

/// Returns whether received data report a failure: the sending rank skipped the task that would
/// have computed them (codelets/context.hpp). The caller must have acquired the data for reading.
bool tells_of_failure(starpu_data_handle_t data);

}  // namespace espalier::internal
