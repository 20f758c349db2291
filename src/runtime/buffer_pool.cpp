// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/buffer_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

Buffer reserved(Count bytes) {
  try {
    return Buffer(bytes / scalar.bytes);
  } catch (const MemoryError&) {
    throw MemoryError("cannot allocate " + readable_bytes(bytes) +
                      " for the data that ranks exchange; free memory or use more ranks");
  }
}

}  // namespace

BufferPool::BufferPool(Count bytes, const LargestGroups& largest)
    : memory_(reserved(std::max(bytes, largest.made + largest.received))) {
  const Count all = this->bytes();
  made_begin_ = all - std::max(largest.made, std::min(all / 2, all - largest.received));
  received_end_ = all - largest.made;
  if (all > 0) free_.emplace(0, all);
}

double* BufferPool::take(Sort sort, Count bytes, Count group_bytes) {
  Count& next = next_[static_cast<std::size_t>(sort)];
  if (group_bytes > 0) {
    const Count begin = find(sort, group_bytes);
    if (begin == none) return nullptr;
    begin_group(sort, begin, group_bytes);
  }
  double* const memory = memory_.data() + next / scalar.bytes;
  next += bytes;
  return memory;
}

/// Groups of received data begin at the lowest free place, groups of made data at the highest, so
/// that the two sorts are as far apart as possible.
Count BufferPool::find(Sort sort, Count group_bytes) const {
  if (sort == Sort::received) {
    for (const auto& [begin, bytes] : free_) {
      if (std::min(begin + bytes, received_end_) - begin >= group_bytes) return begin;
    }
    return none;
  }
  for (auto stretch = free_.rbegin(); stretch != free_.rend(); ++stretch) {
    const auto& [begin, bytes] = *stretch;
    if (begin + bytes - std::max(begin, made_begin_) >= group_bytes)
      return begin + bytes - group_bytes;
  }
  return none;
}

void BufferPool::begin_group(Sort sort, Count begin, Count group_bytes) {
  next_[static_cast<std::size_t>(sort)] = begin;
  const auto stretch = std::prev(free_.upper_bound(begin));
  const Count end = stretch->first + stretch->second;
  stretch->second = begin - stretch->first;
  if (stretch->second == 0) free_.erase(stretch);
  if (begin + group_bytes < end) free_.emplace(begin + group_bytes, end - begin - group_bytes);
  held_ += group_bytes;
  most_held_ = std::max(most_held_, held_);
}

void BufferPool::give_back(double* memory, Count bytes) {
  add_free(scalar.bytes_of(memory - memory_.data()), bytes);
  held_ -= bytes;
}

void BufferPool::add_free(Count begin, Count bytes) {
  const auto next = free_.lower_bound(begin);
  const bool meets_next = next != free_.end() && begin + bytes == next->first;
  const Count length = bytes + (meets_next ? next->second : 0);
  const auto before = next == free_.begin() ? free_.end() : std::prev(next);
  if (before != free_.end() && before->first + before->second == begin) {
    before->second += length;
  } else {
    free_.emplace(begin, length);
  }
  if (meets_next) free_.erase(next);
}

}  // namespace espalier::internal
