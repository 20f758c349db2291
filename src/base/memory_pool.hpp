// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "base/buffer.hpp"

namespace espalier {

/// Memory for data that come and go, again and again: what is given back is taken next, so that
/// pages cost their first touch once. It is part of few large buffers, always at the highest place
/// where it fits, and the system has it back when the pool ends. Calls may come from any thread.
class MemoryPool {
 public:
  /// Aligned to cache lines; null when the system refuses. Cost O(free pieces).
  void* take(std::size_t bytes) noexcept;
  /// What take() gave for so many bytes.
  void give_back(void* memory, std::size_t bytes) noexcept;
  /// Of the system.
  Count held_bytes() const;

 private:
  void* take_free(std::size_t bytes);
  void add_free(char* begin, std::size_t bytes);

  mutable std::mutex mutex_;
  std::vector<Buffer> buffer_;
  std::map<char*, std::size_t> free_;  ///< pieces with their bytes; neighbours are one
};

}  // namespace espalier
