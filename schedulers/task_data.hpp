// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <span>
#include <vector>

#include "base/device_memory.hpp"

namespace espalier::internal {

/// Returns the data of a task. If `read_only`, leaves out the data that the task writes.
std::vector<DeviceMemory::Piece> pieces_of(starpu_task* task, bool read_only = false);

/// Returns whether the memory node has an up-to-date copy of the data.
bool is_valid(const void* data, unsigned memory);

/// Returns the pieces that are not allocated on the memory node yet.
std::vector<DeviceMemory::Piece> missing(std::span<const DeviceMemory::Piece> pieces,
                                         unsigned memory);

/// Returns whether the memory node can hold these pieces now. Allocates them there, without
/// StarPU's accounting, and frees them again. Must be called by a thread that drives a worker of
/// that node. Cost: one allocation on the device per piece.
bool can_allocate(std::span<const DeviceMemory::Piece> pieces, unsigned memory);

/// Returns whether evict() can succeed now: no task uses the data on that node, and the node does
/// not have the only copy.
bool can_evict(const void* data, unsigned memory);

/// Frees the data's memory on a node at once. StarPU does not keep the memory for other data.
/// Returns whether it succeeded. Copies nothing, because a driver that waits for its own copies
/// would deadlock (StarPU 1.4, coprocessors).
bool evict(const void* data, unsigned memory);

/// Starts a copy of the data to the host without waiting for it. This may push tasks.
void copy_home(const void* data);

}  // namespace espalier::internal
