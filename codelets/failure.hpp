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
  /// Another process failed, so that what comes from there has no content.
  void report_elsewhere() noexcept { report(elsewhere); }
  bool happened() const noexcept { return column_.load(std::memory_order_relaxed) != none; }
  /// -1 where no pivot failed here.
  Index column() const noexcept {
    const Index column = column_.load();
    return column < elsewhere ? column : -1;
  }

 private:
  static constexpr Index none = std::numeric_limits<Index>::max();
  static constexpr Index elsewhere = none - 1;
  std::atomic<Index> column_{none};
};

}  // namespace espalier
