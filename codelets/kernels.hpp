// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "base/dense.hpp"

namespace espalier::internal {

/// Destination of the entries of an update: entry (i, j) of the product goes to data[row[i] +
/// column[j] * ld]. A null map stands for 0, 1, 2, ...; maps ascend strictly.
struct ScatterTarget {
  double* data = nullptr;
  Count ld = 0;
  const Index* row = nullptr;
  const Index* column = nullptr;
};

/// The signs J of consecutive columns of L in A = L J Lᵀ, each 1 or -1. Null: all are 1, so that
/// A = L Lᵀ.
using Signs = const double*;

/// The arguments of Kernels::update: target := target - A J Bᵀ through the maps.
struct UpdateArguments {
  ConstMatrixView a;
  ConstMatrixView b;
  bool lower = false;  ///< B is the first rows of A; only entries i >= j are subtracted
  ScatterTarget target;
  std::span<double> buffer{};  ///< scratch memory of update_buffer_entries
  Signs sign = nullptr;        ///< J, one sign per column of A
};

/// The pivots that a factorization A = L J Lᵀ expects, and their replacement if they differ.
struct SignedPivots {
  Signs sign;  ///< J, one sign per column of A
  /// A pivot d passes its check if sign · d > least.
  double least = 0;
  /// If it is positive, other pivots become sign · replacement. If it is 0, their check fails.
  double replacement = 0;
  /// Set to 1 for each column whose pivot was replaced; other entries keep their values.
  std::uint8_t* replaced = nullptr;
};

/// A rotation of two consecutive columns: (a, b) becomes (cosine a - sine b, sine a + cosine b).
struct Rotation {
  double cosine = 1;
  double sine = 0;
};

/// The pivots that a factorization Uᵀ A U = L J Lᵀ chooses, with one entry per column. The
/// orthogonal matrix U first swaps columns k and swap[k] >= k, for k = 0, 1, and so on. Then it
/// rotates columns k and k + 1 by rotation[k], for each k with a sine that is not 0. Each column
/// has a part in at most one rotation. Rotations make the pivots of order two diagonal.
struct ChosenPivots {
  double* sign;        ///< set to J
  Index* swap;         ///< set
  Rotation* rotation;  ///< set
  /// Positive. If no entry that is left in a column of the block is larger, the pivot becomes
  /// `replacement`, with its sign.
  double least;
  double replacement;      ///< positive
  std::uint8_t* replaced;  ///< set to 1 for each column whose pivot was replaced, else to 0
};

/// Result of the pivot checks of a diagonal block.
struct PivotReport {
  Index first_bad = -1;  ///< first column of the block whose check failed, or -1

  bool ok() const { return first_bad < 0; }
  /// Returns the report of the same pivots for a block that begins `columns` columns earlier.
  PivotReport after(Index columns) const { return {ok() ? -1 : columns + first_bad}; }
};

/// The dense kernels of all tasks. Views are column-major, and triangles are lower.
///
/// Entries above the diagonal of a triangle have no influence and keep their values. A lower update
/// through maps may read and store them again, so no other thread may write them meanwhile. Kernels
/// do not allocate, throw or lock. Their arguments must not overlap.
///
/// A panel of A = L J Lᵀ has the triangle L1 on top, with A1 = L1 J L1ᵀ, and below it Z = A2 L1⁻ᵀ,
/// not the rows Z J of L. Therefore trsm() serves both factorizations, and an update by Z subtracts
/// Z J Zᵀ. If the block chose its pivots, A1 = U L1 J L1ᵀ Uᵀ and Z = A2 U L1⁻ᵀ.
struct Kernels {
  /// A := L with A = L Lᵀ. A pivot check fails if the pivot is not positive; A is then unspecified.
  PivotReport (*potrf)(MatrixView a) noexcept;
  /// A := L with A = L J Lᵀ and a positive diagonal of L. If a pivot check fails, A is unspecified.
  /// A pivot that is not finite always fails.
  PivotReport (*signed_potrf)(MatrixView a, const SignedPivots& pivots) noexcept;
  /// A := L with Uᵀ A U = L J Lᵀ and a positive diagonal of L. The pivots are chosen so that no
  /// entry of a unit lower triangle exceeds 2.8 in magnitude. Only a pivot that is not finite fails
  /// its check. `buffer` has update_buffer_entries.
  PivotReport (*pivoted_potrf)(MatrixView a, const ChosenPivots& pivots,
                               std::span<double> buffer) noexcept;
  /// B := B L⁻ᵀ, L of order columns(B). `buffer` is scratch memory of update_buffer_entries. If it
  /// is empty, the kernel is slower.
  void (*trsm)(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept;
  void (*update)(const UpdateArguments& given) noexcept;

  /// The solves store their vectors by rows: entry (r, i) of X is row i of right-hand side r. The
  /// leading dimension is the number of right-hand sides, so X is contiguous.
  ///
  /// L is a trapezoid: the triangle L1 on top of Z. X has as many columns as L has rows.
  /// X1 := L1⁻¹ X1, then X2 := X2 - Z J X1.
  void (*forward)(ConstMatrixView l, MatrixView x, Signs sign) noexcept;
  /// X1 := L1⁻ᵀ J (X1 - Zᵀ X2).
  void (*backward)(ConstMatrixView l, MatrixView x, Signs sign) noexcept;
  /// Y := Y - A J X. With signs and several right-hand sides it needs `buffer`, which has
  /// update_buffer_entries, at least as many as X.
  void (*multiply)(ConstMatrixView a, ConstMatrixView x, MatrixView y, Signs sign,
                   std::span<double> buffer) noexcept;
  /// X := X - Aᵀ Y.
  void (*multiply_transposed)(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;
};

/// Size of the scratch memory of kernels, in entries (1 MiB). Copies of operands then stay in the
/// second-level cache.
inline constexpr Count update_buffer_entries = Count{1} << 17;

namespace reference {
extern const Kernels kernels;  ///< triple loops; all other kernels are tested against them
}
namespace cpu {
/// Vector kernels. They call the BLAS inside wide triangles, and in solves of wide panels with
/// several right-hand sides.
extern const Kernels kernels;
}  // namespace cpu

}  // namespace espalier::internal
