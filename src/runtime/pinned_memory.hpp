// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace espalier {

/// Keeps memory where it is, for the time of this object, so that devices copy from and to it
/// without the processor. StarPU runs when one is made and when it ends. Where the system refuses,
/// copies are slower.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::span<double> memory);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

 private:
  std::span<double> memory_;
  bool pinned_;
};

}  // namespace espalier
