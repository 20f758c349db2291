// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/memory_window.hpp"

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

MemoryWindow::MemoryWindow(Count bytes, const LargestGroups& largest)
    : memory_(reserved(std::max(bytes, largest.made + largest.received))) {
  const Count all = this->bytes();
  made_begin_ = all - std::max(largest.made, std::min(all / 2, all - largest.received));
  received_end_ = all - largest.made;
  if (all > 0) free_.emplace(0, all);
}

double* MemoryWindow::take(Sort sort, Count bytes, Count room) {
  Count& next = next_[static_cast<std::size_t>(sort)];
  if (room > 0) {
    const Count begin = find(sort, room);
    if (begin == none) return nullptr;
    begin_group(sort, begin, room);
  }
  double* const memory = memory_.data() + next / scalar.bytes;
  next += bytes;
  return memory;
}

/// Groups of received data begin at the lowest free place, groups of made data at the highest, so
/// that the two sorts are as far apart as possible.
Count MemoryWindow::find(Sort sort, Count room) const {
  if (sort == Sort::received) {
    for (const auto& [begin, bytes] : free_) {
      if (std::min(begin + bytes, received_end_) - begin >= room) return begin;
    }
    return none;
  }
  for (auto stretch = free_.rbegin(); stretch != free_.rend(); ++stretch) {
    const auto& [begin, bytes] = *stretch;
    if (begin + bytes - std::max(begin, made_begin_) >= room) return begin + bytes - room;
  }
  return none;
}

void MemoryWindow::begin_group(Sort sort, Count begin, Count room) {
  next_[static_cast<std::size_t>(sort)] = begin;
  const auto stretch = std::prev(free_.upper_bound(begin));
  const Count end = stretch->first + stretch->second;
  stretch->second = begin - stretch->first;
  if (stretch->second == 0) free_.erase(stretch);
  if (begin + room < end) free_.emplace(begin + room, end - begin - room);
  held_ += room;
  most_held_ = std::max(most_held_, held_);
}

void MemoryWindow::give_back(double* memory, Count bytes) {
  add_free(scalar.bytes_of(memory - memory_.data()), bytes);
  held_ -= bytes;
}

void MemoryWindow::add_free(Count begin, Count bytes) {
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
