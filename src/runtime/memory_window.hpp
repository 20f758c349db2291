// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "espalier/types.hpp"

namespace espalier {

/// Decides when data that come and go have memory: groups of them, each as a whole, what a rank
/// makes for others and what it receives in an order each. They share a limit, of which the former
/// take half at most, so that the latter can begin; the next group has memory while all that are
/// there stay below, or when there is none of its sort. enter_room() says why every group has its
/// turn.
class MemoryWindow {
 public:
  enum class Sort : std::uint8_t { made, received };

  explicit MemoryWindow(Count limit) : limit_(limit) {}

  /// Whether the next data of the sort may have their memory now; asked again later where not.
  /// `room` are the bytes of the group that they begin, 0 where they belong to the group of those
  /// before.
  bool admit(Sort sort, Count room) {
    Count& held = of(sort);
    const bool fits = held_[0] + held_[1] + room <= limit_ &&
                      (sort == Sort::received || held + room <= limit_ / 2);
    if (room > 0 && held > 0 && !fits) return false;
    held += room;
    most_held_ = std::max(most_held_, held_[0] + held_[1]);
    return true;
  }
  /// Data of so many bytes had their last use.
  void give_back(Sort sort, Count bytes) { of(sort) -= bytes; }

  /// What there may be at once where the largest groups are these.
  Count most(Count made, Count received) const {
    return std::max(std::max(limit_, received) + made, limit_ / 2 + received);
  }
  /// Bytes of groups admitted and not given back, at most, so far.
  Count most_held() const { return most_held_; }

 private:
  Count& of(Sort sort) { return held_[static_cast<std::size_t>(sort)]; }

  Count limit_;
  std::array<Count, 2> held_{};
  Count most_held_ = 0;
};

}  // namespace espalier
