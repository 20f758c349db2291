// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::cuda {

/// One thread of a kernel. What a thread does is a constexpr function of its place, which compiles
/// for the host and for devices; threads never wait for each other, so that a loop over all places
/// has the effect of the kernel.
struct Lane {
  Index block;
  Index thread;
};

inline constexpr Index threads_of_block = 256;

constexpr Index rounded_up_quotient(Index a, Index b) { return (a + b - 1) / b; }

/// The element of an ascending list that `place` is; counted from 0 where the list is empty, which
/// stands for 0, 1, 2, ... up to `count`. -1 where there is none. Cost O(log count).
constexpr Index position_in(const Index* list, Index listed, Index count, Index place) {
  if (listed == 0) return place >= 0 && place < count ? place : -1;
  Index low = 0;
  Index high = listed;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (list[middle] < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < listed && list[low] == place ? low : -1;
}

}  // namespace espalier::cuda
