// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/dense.hpp"

namespace espalier::internal {

/// Where the entries of an update go: entry (i, j) of the product to data[row[i] + column[j] * ld].
/// A null map stands for 0, 1, 2, ...; maps ascend strictly.
struct ScatterTarget {
  double* data = nullptr;
  Count ld = 0;
  const Index* row = nullptr;
  const Index* column = nullptr;
};

/// The arguments of Kernels::update: target := target - A Bᵀ through the maps.
///
/// A diagonal D between the operands, for the A D Bᵀ of an L D Lᵀ factorization, would be one more
/// member. Kernels would scale the entries of B by it when they copy them to `buffer`.
struct UpdateArguments {
  ConstMatrixView a;
  ConstMatrixView b;
  bool lower = false;  ///< B is the first rows of A, and only entries i >= j are subtracted
  ScatterTarget target;
  std::span<double> buffer{};  ///< scratch space of update_buffer_entries
};

/// What a factorization found at the pivots of a diagonal block.
struct PivotReport {
  Index first_bad = -1;  ///< first column of the block whose pivot failed; -1 if none did

  bool ok() const { return first_bad < 0; }
  /// Returns the report of the same pivots for a block that begins `columns` columns earlier.
  PivotReport after(Index columns) const { return {ok() ? -1 : columns + first_bad}; }
};

/// The dense kernels that all tasks are made of. Views are column-major; triangles are lower: what
/// stands above their diagonals has no influence and stays as it is. It may be read and stored
/// again, by a lower update through maps; so nobody else may write it meanwhile. No kernel
/// allocates, throws or locks; arguments must not overlap.
struct Kernels {
  /// A := L with A = L Lᵀ. A pivot fails if it is not positive; A is then unspecified.
  PivotReport (*potrf)(MatrixView a) noexcept;
  /// B := B L⁻ᵀ, L of order columns(B). `buffer` is scratch space of update_buffer_entries, or
  /// empty: slower.
  void (*trsm)(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept;
  void (*update)(const UpdateArguments& given) noexcept;

  /// The solves keep their vectors by rows: entry (r, i) of X is row i of right-hand side r, and
  /// the leading dimension is the number of right-hand sides, so that X is one piece of memory.
  ///
  /// L is a trapezoid with its triangle on top, X has as many columns as L has rows:
  /// X1 := L1⁻¹ X1, then X2 := X2 - L2 X1.
  void (*forward)(ConstMatrixView l, MatrixView x) noexcept;
  /// X1 := L1⁻ᵀ (X1 - L2ᵀ X2).
  void (*backward)(ConstMatrixView l, MatrixView x) noexcept;
  /// Y := Y - A X.
  void (*multiply)(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept;
  /// X := X - Aᵀ Y.
  void (*multiply_transposed)(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;
};

/// 1 MiB: copies of operands that stay in the second-level cache.
inline constexpr Count update_buffer_entries = Count{1} << 17;

namespace reference {
extern const Kernels kernels;  ///< triple loops: the oracle for all others
}
namespace cpu {
extern const Kernels kernels;  ///< own vector kernels; BLAS inside wide triangles and for solves
}

}  // namespace espalier::internal
