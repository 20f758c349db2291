// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <span>
#include <vector>

#include "base/device_memory.hpp"

namespace espalier::internal {

/// Returns the data of a task; without those that it writes where `read_only`.
std::vector<DeviceMemory::Piece> pieces_of(starpu_task* task, bool read_only = false);

/// Returns whether the memory has the present content of the data.
bool is_valid(const void* data, unsigned memory);

/// Returns those of the pieces that have no place in the memory yet.
std::vector<DeviceMemory::Piece> missing(std::span<const DeviceMemory::Piece> pieces,
                                         unsigned memory);

/// Returns whether the memory has room for these pieces now: they are allocated there, past all
/// counts, and freed again. For a thread that drives a worker of that memory. Cost: what that takes
/// the device, for each.
bool can_allocate(std::span<const DeviceMemory::Piece> pieces, unsigned memory);

/// Returns whether evict() can work now: nobody uses the data in that memory, and another one has
/// the content, too.
bool can_evict(const void* data, unsigned memory);

/// Frees the memory at once, of which StarPU keeps none for other data; returns whether that
/// worked. It copies nothing: a driver that waits for its own copies waits for ever (StarPU 1.4,
/// coprocessors).
bool evict(const void* data, unsigned memory);

/// Has the data copied to the host, too, and does not wait for that. It may push tasks.
void copy_home(const void* data);

}  // namespace espalier::internal
