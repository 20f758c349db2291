// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
/// Memory of devices, and memory of the host that is pinned for them.
///
/// Addresses of devices lie in a range that nobody may touch. What the stand-in itself does for a
/// device it does at other addresses, which reach() translates to after it has looked whether such
/// work may be there. No address is used twice, behind each piece is a page that nobody may touch
/// either, fresh memory is filled with numbers that are none, and what is around a piece on its
/// pages is looked at when it is freed. Who touches forbidden memory, or memory that is freed, ends
/// the process as misuse() does.
namespace stand_in {

/// Returns memory of the device.
void* allocate_on_device(int device, std::size_t bytes);
/// Returns memory of the host that devices reach.
void* allocate_pinned(std::size_t bytes);

struct Freed {
  int device = 0;
  std::size_t bytes = 0;
};
/// Ends a piece of the device; false where there is none at this address.
bool free_on_device(void* memory, Freed& freed);
/// Ends a piece that allocate_pinned() returned; false where there is none at this address.
bool free_pinned(void* memory);

/// Lets devices reach memory of the host that is there already; false where they do.
bool pin(void* memory, std::size_t bytes);
/// Ends that; false where nobody began it.
bool unpin(void* memory);

/// Where memory is.
enum class Kind { device, pinned, pageable };
Kind kind_of(const void* memory);
/// Whether all of it is pinned.
bool is_pinned(const void* memory, std::size_t bytes);
/// Returns the device of an address of a device.
int device_of(const void* memory);

/// Notes that what runs on `device` may reach the memory of `peer`.
void allow_peer(int device, int peer);

/// Returns where the stand-in finds what a device knows by this address, all of these bytes of one
/// piece: of this device, or of one whose memory it may reach, or pinned memory of the host. Calls
/// misuse() where such work may not be there.
char* reach(const void* memory, std::size_t bytes, int device, const char* what);
/// The same for copies, which go between any two devices.
char* reach_from_anywhere(const void* memory, std::size_t bytes, const char* what);

}  // namespace stand_in
