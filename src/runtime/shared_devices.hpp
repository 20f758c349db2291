// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// A CUDA device of this rank.
struct SharedDevice {
  unsigned number;  ///< CUDA's
  Index ranks = 1;  ///< of this machine that have it

  bool operator==(const SharedDevice&) const = default;
};

/// Of a memory of `total` bytes, what the other ranks have that share it: equal parts.
constexpr Count part_of_others(Count total, Index ranks) { return total - total / ranks; }

/// While it lives StarPU leaves to other ranks their parts of the memories of these devices: it
/// counts them as in use, and takes back what it needs least where its own part is full. StarPU
/// runs when it is made and when it ends.
class SharedMemories {
 public:
  explicit SharedMemories(std::span<const SharedDevice> devices);
  ~SharedMemories();
  SharedMemories(const SharedMemories&) = delete;
  SharedMemories& operator=(const SharedMemories&) = delete;

 private:
  std::vector<std::pair<unsigned, std::size_t>> left_;  ///< memory node, bytes
};

}  // namespace espalier
