// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/dense.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// The dense operations that symPACK counts (Bellavita et al., 2023, figure 6).
enum class Operation : std::uint8_t { potrf, trsm, syrk, gemm };

inline constexpr std::array<std::string_view, 4> operation_names{"potrf", "trsm", "syrk", "gemm"};
inline constexpr std::size_t operations = operation_names.size();

/// Number and flops of the operations of each kind. Operations are counted by the blocks of L that
/// a task works on, not by kernel calls, because one call may do several operations. The update of
/// a panel by another one is a SYRK at the diagonal and, if there are rows below it, a GEMM.
/// Operations of size zero do not count.
struct OperationCounts {
  struct Done {
    Count count = 0;
    double flops = 0;
  };
  std::array<Done, operations> done{};

  const Done& of(Operation operation) const { return done[static_cast<std::size_t>(operation)]; }

  void potrf(Index n) { add(Operation::potrf, flops::potrf(n)); }
  /// Counts the solve of m rows (or vectors) with a triangle of order n.
  void trsm(Index m, Index n) { add(Operation::trsm, flops::trsm(m, n)); }
  void syrk(Index n, Index k) { add(Operation::syrk, flops::syrk(n, k)); }
  void gemm(Index m, Index n, Index k) { add(Operation::gemm, flops::gemm(m, n, k)); }
  /// Counts the update of a trapezoid of m rows and n columns, with the diagonal in its first n
  /// rows.
  void trapezoid(Index m, Index n, Index k) {
    syrk(n, k);
    gemm(m - n, n, k);
  }

  OperationCounts& operator+=(const OperationCounts& other) {
    for (std::size_t i = 0; i < operations; ++i) {
      done[i].count += other.done[i].count;
      done[i].flops += other.done[i].flops;
    }
    return *this;
  }

 private:
  void add(Operation operation, double flops) {
    if (flops <= 0) return;
    Done& kind = done[static_cast<std::size_t>(operation)];
    ++kind.count;
    kind.flops += flops;
  }
};

}  // namespace espalier::internal
