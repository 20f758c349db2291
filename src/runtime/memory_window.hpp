// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "espalier/types.hpp"

namespace espalier {

/// Decides when data that come and go have memory: groups of them in a given order, each as a
/// whole, the next one while all that are there stay below a limit, or when there are none.
/// enter_room() says why every group has its turn.
class MemoryWindow {
 public:
  explicit MemoryWindow(Count limit) : limit_(limit) {}

  /// Whether the next data may have their memory now; asked again later where not. `room` are the
  /// bytes of the group that they begin, 0 where they belong to the group of those before.
  bool admit(Count room) {
    if (room > 0 && held_ > 0 && held_ + room > limit_) return false;
    held_ += room;
    most_held_ = std::max(most_held_, held_);
    return true;
  }
  /// Data of so many bytes had their last use.
  void give_back(Count bytes) { held_ -= bytes; }

  /// Bytes of groups admitted and not given back, at most, so far.
  Count most_held() const { return most_held_; }

 private:
  Count limit_;
  Count held_ = 0;
  Count most_held_ = 0;
};

/// For what a rank makes for others and for what it receives, apart: what it receives may wait for
/// what it makes, never the other way round.
struct MemoryWindows {
  MemoryWindow made;
  MemoryWindow received;
};

}  // namespace espalier
