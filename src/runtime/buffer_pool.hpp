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

/// Buffer pool for temporary data of one rank. The pool has two sorts of data: data that the rank
/// makes for other ranks ("made"), and data that it receives. The data of each sort come in groups,
/// in a fixed order. A group gets one contiguous part of the pool when it begins, so that all its
/// data fit.
///
/// The memory is reserved once and never grows; each factorization uses the same memory again.
/// Received data never use the end of the pool, and made data never use its beginning. So the
/// largest group of each sort fits whatever the other sort uses. set_group_bytes() explains why
/// each group then gets its turn.
class BufferPool {
 public:
  enum class Sort : std::uint8_t { made, received };

  /// Reserves `bytes` bytes, or more if the largest groups of both sorts together need more. Made
  /// data get at most half of the pool, unless their largest group needs more. Throws MemoryError.
  BufferPool(Count bytes, const LargestGroups& largest);

  /// Returns memory for the next `bytes` bytes of this sort, or null if the group does not fit now;
  /// the caller then asks again later. `group_bytes` is the size of the group in bytes if these
  /// data are the first of their group, else 0. Cost O(number of free parts).
  double* take(Sort sort, Count bytes, Count group_bytes);
  /// Frees `bytes` bytes that take() returned.
  void give_back(double* memory, Count bytes);

  Count bytes() const { return scalar.bytes_of(memory_.size()); }
  /// Returns the whole pool. Received data get the first free part.
  std::span<double> memory() const { return memory_.span(); }
  /// Returns the largest number of bytes that groups have held at once so far. A group counts from
  /// its first take() until its memory is given back.
  Count most_held() const { return most_held_; }

 private:
  static constexpr Count none = -1;

  /// Returns the position, in bytes, of a new group of this sort, or `none` if the group does not
  /// fit.
  Count find(Sort sort, Count group_bytes) const;
  void begin_group(Sort sort, Count begin, Count group_bytes);
  void add_free(Count begin, Count bytes);

  Buffer memory_;
  Count made_begin_;    ///< made data begin here or later
  Count received_end_;  ///< received data end here or earlier
  /// Size of each free part in bytes, by its begin; adjacent parts are merged.
  std::map<Count, Count> free_;
  std::array<Count, 2> next_{};  ///< by sort: begin of the next data of its current group
  Count held_ = 0;
  Count most_held_ = 0;
};

}  // namespace espalier::internal
