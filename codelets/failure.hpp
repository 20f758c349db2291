// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <limits>

#include "espalier/types.hpp"

namespace espalier {

/// The first column, in the numbering of L, whose pivot failed; shared by all tasks of a
/// factorization. Tasks that start after a failure return at once.
class Failure {
 public:
  void reset() noexcept { column_.store(none, std::memory_order_relaxed); }

  /// Keeps the smallest column reported.
  void report(Index column) noexcept {
    Index seen = column_.load(std::memory_order_relaxed);
    while (column < seen && !column_.compare_exchange_weak(seen, column)) {
    }
  }
  bool happened() const noexcept { return column_.load(std::memory_order_relaxed) != none; }
  /// -1 where no pivot failed.
  Index column() const noexcept { return happened() ? column_.load() : -1; }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();
  std::atomic<Index> column_{none};
};

}  // namespace espalier
