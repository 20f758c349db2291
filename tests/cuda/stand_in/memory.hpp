// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
/// Memory of devices, and pinned memory of the host.
///
/// Device addresses lie in a range that is not accessible. The work of the stand-in for a device
/// uses other addresses. reach() checks whether the work may use this memory, and translates the
/// addresses. No address is used twice. An inaccessible page follows each piece. Fresh memory is
/// NaN. When a piece is freed, the unused bytes of its pages are checked. An access to forbidden or
/// freed memory ends the process as misuse() does.
namespace stand_in {

/// Returns memory of the device.
void* allocate_on_device(int device, std::size_t bytes);
/// Returns host memory that devices can access.
void* allocate_pinned(std::size_t bytes);

struct Freed {
  int device = 0;
  std::size_t bytes = 0;
};
/// Frees a piece of the device. Returns false if none begins at this address.
bool free_on_device(void* memory, Freed& freed);
/// Frees memory of allocate_pinned(). Returns false if none begins at this address.
bool free_pinned(void* memory);

/// Makes existing host memory accessible to devices. Returns false if it already is.
bool pin(void* memory, std::size_t bytes);
/// Reverts pin(). Returns false if the memory is not pinned.
bool unpin(void* memory);

/// Kind of a piece of memory.
enum class Kind { device, pinned, pageable };
Kind kind_of(const void* memory);
/// Returns whether all of the memory is pinned.
bool is_pinned(const void* memory, std::size_t bytes);
/// Returns the device of a device address.
int device_of(const void* memory);

/// Notes that work on `device` may access the memory of `peer`.
void allow_peer(int device, int peer);

/// Translates a device address to that of the stand-in. All bytes must be in one piece: of this
/// device, of a device whose memory it may access, or of pinned host memory. Otherwise calls
/// misuse().
char* reach(const void* memory, std::size_t bytes, int device, const char* what);
/// Same as reach() for copies, which may use any two devices.
char* reach_from_anywhere(const void* memory, std::size_t bytes, const char* what);

}  // namespace stand_in
