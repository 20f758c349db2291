// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Tells the processor that this thread spins, so that the other thread of the core and the owner
/// of the cache line are disturbed less. Takes some tens of nanoseconds.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace espalier::internal
