// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory_pool.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include "espalier/error.hpp"

namespace espalier {

namespace {

constexpr std::size_t line = 64;
/// Pages that nobody touches cost nothing.
constexpr std::size_t least_buffer = std::size_t{32} << 20;

std::size_t whole_lines(std::size_t bytes) {
  return std::max<std::size_t>(1, (bytes + line - 1) / line) * line;
}

}  // namespace

void* MemoryPool::take(std::size_t bytes) noexcept {
  const std::size_t length = whole_lines(bytes);
  const std::lock_guard lock(mutex_);
  if (void* const memory = take_free(length)) return memory;
  try {
    const std::size_t more = std::max(length, least_buffer);
    buffer_.emplace_back(static_cast<Count>(more / sizeof(double)));
    add_free(reinterpret_cast<char*>(buffer_.back().data()), more);
  } catch (const MemoryError&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return take_free(length);
}

void* MemoryPool::take_free(std::size_t bytes) {
  const auto fits = [&](const auto& piece) { return piece.second >= bytes; };
  const auto found = std::find_if(free_.rbegin(), free_.rend(), fits);
  if (found == free_.rend()) return nullptr;
  const auto [begin, length] = *found;
  found->second -= bytes;
  if (found->second == 0) free_.erase(begin);
  return begin + (length - bytes);
}

void MemoryPool::give_back(void* memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    add_free(static_cast<char*>(memory), whole_lines(bytes));
  } catch (const std::bad_alloc&) {  // it rests until the pool ends
  }
}

void MemoryPool::add_free(char* begin, std::size_t bytes) {
  const auto next = free_.lower_bound(begin);
  const bool meets_next = next != free_.end() && begin + bytes == next->first;
  const std::size_t length = bytes + (meets_next ? next->second : 0);
  const auto before = next == free_.begin() ? free_.end() : std::prev(next);
  if (before != free_.end() && before->first + before->second == begin) {
    before->second += length;
  } else {
    free_.emplace(begin, length);
  }
  if (meets_next) free_.erase(next);
}

Count MemoryPool::held_bytes() const {
  const std::lock_guard lock(mutex_);
  Count sum = 0;
  for (const Buffer& buffer : buffer_) sum += buffer.size() * static_cast<Count>(sizeof(double));
  return sum;
}

}  // namespace espalier
