// SPDX-License-Identifier: BSD-3-Clause

#include <utility>

#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/kernels.hpp"

namespace espalier::internal::cpu {

namespace {

/// Returns the size of the first half of a matrix, a multiple of 8.
Index first_half(Index order) { return (order / 2 + 7) / 8 * 8; }

/// Solves by halves: B1 := B1 L11⁻ᵀ, B2 := (B2 - B1 L21ᵀ) L22⁻ᵀ. Most of the work is thus GEMM.
template <Index whole>
void trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept {
  if (b.columns <= whole) {
    simd::small_kernels().trsm(l, b, buffer);
    return;
  }
  const Index half = first_half(b.columns);
  const Index rest = b.columns - half;
  const MatrixView left = b.column_range(0, half);
  const MatrixView right = b.column_range(half, rest);
  trsm<whole>({l.data, half, half, l.ld}, left, buffer);
  blas::gemm(blas::Op::transpose, left, {l.data + half, rest, half, l.ld}, right);
  trsm<whole>({&l(half, half), rest, rest, l.ld}, right, buffer);
}

/// The parts of a matrix that is factored by halves.
struct Halves {
  MatrixView top;
  MatrixView below;
  MatrixView corner;

  explicit Halves(MatrixView a) {
    const Index half = first_half(a.columns);
    const Index rest = a.columns - half;
    top = part(a, 0, half, 0, half);
    below = part(a, half, rest, 0, half);
    corner = part(a, half, rest, half, rest);
  }
};

/// Factors by halves: A11 = L11 L11ᵀ, L21 := A21 L11⁻ᵀ, A22 - L21 L21ᵀ = L22 L22ᵀ.
template <Index whole>
PivotReport potrf(MatrixView a) noexcept {
  if (a.columns <= whole) return simd::small_kernels().potrf(a);
  const Halves halves(a);
  const PivotReport pivots = potrf<whole>(halves.top);
  if (!pivots.ok()) return pivots;
  trsm<whole>(halves.top, halves.below, {});
  blas::syrk(halves.below, halves.corner);
  return potrf<whole>(halves.corner).after(halves.top.columns);
}

/// Returns the pivots of the columns from `column` on.
SignedPivots pivots_from(SignedPivots pivots, Index column) {
  pivots.sign += column;
  if (pivots.replaced != nullptr) pivots.replaced += column;
  return pivots;
}

/// Factors by halves like potrf(). L21 = Z J1 with Z = A21 L11⁻ᵀ, and the corner is A22 - Z J1 Zᵀ.
template <Index whole>
PivotReport signed_potrf(MatrixView a, const SignedPivots& pivots) noexcept {
  if (a.columns <= whole) return simd::small_kernels().signed_potrf(a, pivots);
  const Halves halves(a);
  const PivotReport report = signed_potrf<whole>(halves.top, pivots);
  if (!report.ok()) return report;
  trsm<whole>(halves.top, halves.below, {});
  const MatrixView corner = halves.corner;
  const Index half = halves.top.columns;
  own_update({halves.below, halves.below, true, {corner.data, corner.ld}, {}, pivots.sign});
  apply_signs(halves.below, pivots.sign, halves.below);
  return signed_potrf<whole>(corner, pivots_from(pivots, half)).after(half);
}

PivotReport pivoted_potrf(MatrixView a, const ChosenPivots& pivots,
                          std::span<double> buffer) noexcept {
  return simd::small_kernels().pivoted_potrf(a, pivots, buffer);
}

template <Index by_blas>
void update(const UpdateArguments& given) noexcept {
  const bool wide = by_blas != SwitchPoints::never && given.a.columns >= by_blas;
  (wide ? blas_update : own_update)(given);
}

template <Index whole, Index by_blas>
constexpr Kernels kernels_of{potrf<whole>,       signed_potrf<whole>,
                             pivoted_potrf,      trsm<whole>,
                             update<by_blas>,    forward,
                             backward,           multiply,
                             multiply_transposed};

constexpr std::size_t update_points = SwitchPoints::updates.size();

/// Returns the kernels for all pairs of switch points. The switch point of updates changes faster
/// than that of triangles.
template <std::size_t... pair>
constexpr auto table_of(std::index_sequence<pair...> /*pairs*/) {
  return std::array{kernels_of<SwitchPoints::triangles[pair / update_points],
                               SwitchPoints::updates[pair % update_points]>...};
}

template <std::size_t size>
std::size_t place_of(Index value, const std::array<Index, size>& values) {
  return static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
}

}  // namespace

const Kernels& kernels_with(const SwitchPoints& points) {
  static constexpr auto table =
      table_of(std::make_index_sequence<SwitchPoints::triangles.size() * update_points>());
  return table.at(place_of(points.whole_triangle, SwitchPoints::triangles) * update_points +
                  place_of(points.blas_update, SwitchPoints::updates));
}

constexpr SwitchPoints unmeasured;
const Kernels kernels = kernels_of<unmeasured.whole_triangle, unmeasured.blas_update>;

}  // namespace espalier::internal::cpu
