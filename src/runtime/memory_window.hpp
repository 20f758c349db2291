// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "plan/memory.hpp"

namespace espalier::internal {

/// Memory for data that come and go in groups, those that a rank makes for others and those that it
/// receives, each sort in an order of its own. A group takes one stretch as a whole, so that all of
/// it has room once it has begun. The memory is reserved once, and never more is touched: the same
/// is taken and given back in each factorization. enter_room() says why every group has its turn
/// where the largest of each sort has room whatever there is of the other: what is received stays
/// out of the last part, what is made out of the first.
class MemoryWindow {
 public:
  enum class Sort : std::uint8_t { made, received };

  /// Reserves so many bytes, or as many more as one group of each sort takes; what is made takes
  /// half at most where one group does not take more. Throws MemoryError.
  MemoryWindow(Count bytes, const LargestGroups& largest);

  /// Returns memory for so many bytes, the next of their sort, null where there is none: then they
  /// ask again later. `room` are the bytes of the group that they begin, 0 where they go on with
  /// one. Cost O(stretches).
  double* take(Sort sort, Count bytes, Count room);
  /// Takes back what take() gave for so many bytes.
  void give_back(double* memory, Count bytes);

  Count bytes() const { return scalar.bytes_of(memory_.size()); }
  /// Returns all of it; what is received has the first part that is free.
  std::span<double> memory() const { return memory_.span(); }
  /// Returns the most bytes so far of groups that had begun and were not given back.
  Count most_held() const { return most_held_; }

 private:
  static constexpr Count none = -1;

  /// Returns where a group of the sort can begin, or none.
  Count find(Sort sort, Count room) const;
  void begin_group(Sort sort, Count begin, Count room);
  void add_free(Count begin, Count bytes);

  Buffer memory_;
  Count made_begin_;             ///< nothing that is made is before
  Count received_end_;           ///< nothing that is received is behind
  std::map<Count, Count> free_;  ///< bytes of each stretch by its begin; neighbours are one
  std::array<Count, 2> next_{};  ///< by sort: where its group goes on
  Count held_ = 0;
  Count most_held_ = 0;
};

}  // namespace espalier::internal
