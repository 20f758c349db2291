// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/combined.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/options.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/kernels.hpp"
#include "espalier/error.hpp"

namespace espalier::internal::cpu {

namespace {

/// The parts of combined kernels from Espalier's kernels: simple kernels on one panel, and products
/// without maps.
struct OwnParts {
  static PivotReport potrf(MatrixView a) noexcept { return simd::small_kernels().potrf(a); }
  static void trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept {
    simd::small_kernels().trsm(l, b, buffer);
  }
  static void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c,
                   std::span<double> buffer) noexcept {
    simd::small_kernels().update({a, b, false, {c.data, c.ld}, buffer});
  }
  static void syrk(ConstMatrixView a, MatrixView c) noexcept {
    simd::small_kernels().update({a, a, true, {c.data, c.ld}});
  }
};

struct BlasParts {
  static PivotReport potrf(MatrixView a) noexcept { return blas::potrf(a); }
  static void trsm(ConstMatrixView l, MatrixView b, std::span<double> /*buffer*/) noexcept {
    blas::trsm(blas::Op::transpose, l, b);
  }
  static void gemm(ConstMatrixView a, ConstMatrixView b, MatrixView c,
                   std::span<double> /*buffer*/) noexcept {
    blas::gemm(blas::Op::transpose, a, b, c);
  }
  static void syrk(ConstMatrixView a, MatrixView c) noexcept { blas::syrk(a, c); }
};

/// Solves B by panels of p1 columns. Each panel is solved and then subtracted from the columns to
/// its right (figure 5a).
template <class Parts, Index p1>
void combined_trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept {
  for (Index j = 0; j < b.columns; j += p1) {
    const Index width = std::min(p1, b.columns - j);
    const Index rest = b.columns - j - width;
    const MatrixView panel = b.column_range(j, width);
    Parts::trsm(part(l, j, width, j, width), panel, buffer);
    if (rest == 0) return;
    Parts::gemm(panel, part(l, j + width, rest, j, width), b.column_range(j + width, rest), buffer);
  }
}

/// Factors A by panels of p2 columns, with four kernels each: SYRK and GEMM by the columns to the
/// left, then POTRF and TRSM (figure 5b).
template <class Parts, Index p1, Index p2>
PivotReport combined_potrf(MatrixView a) noexcept {
  for (Index j = 0; j < a.columns; j += p2) {
    const Index width = std::min(p2, a.columns - j);
    const Index rest = a.columns - j - width;
    const MatrixView triangle = part(a, j, width, j, width);
    const MatrixView below = part(a, j + width, rest, j, width);
    const ConstMatrixView left = part(a, j, width, 0, j);
    if (j > 0) Parts::syrk(left, triangle);
    const PivotReport pivots = Parts::potrf(triangle);
    if (!pivots.ok()) return pivots.after(j);
    if (rest == 0) break;
    if (j > 0) Parts::gemm(part(a, j + width, rest, 0, j), left, below, {});
    combined_trsm<Parts, p1>(triangle, below, {});
  }
  return {};
}

void blas_trsm(ConstMatrixView l, MatrixView b, std::span<double> /*buffer*/) noexcept {
  blas::trsm(blas::Op::transpose, l, b);
}

constexpr std::array<Index, 5> widths{64, 128, 256, 512, 1024};
static_assert(widths.back() <= simd::largest_triangle);

template <class Parts, Index p1, Index p2>
Kernels combined(auto update) {
  return {combined_potrf<Parts, p1, p2>,
          kernels.signed_potrf,
          kernels.pivoted_potrf,
          combined_trsm<Parts, p1>,
          update,
          forward,
          backward,
          multiply,
          multiply_transposed};
}

/// Returns the kernels for all pairs of widths. The width of POTRF changes faster than that of
/// TRSM.
template <class Parts, std::size_t... pair>
auto table_of(auto update, std::index_sequence<pair...> /*pairs*/) {
  return std::array{
      combined<Parts, widths[pair / widths.size()], widths[pair % widths.size()]>(update)...};
}

constexpr auto pairs = std::make_index_sequence<widths.size() * widths.size()>();

std::size_t place_of(std::optional<Index> wanted, Index fallback, const char* name) {
  const Index width = wanted.value_or(fallback);
  const auto at = std::ranges::find(widths, width);
  if (at == widths.end()) {
    throw UsageError(fmt::format("{} is {}; give one of {}", name, width, fmt::join(widths, ", ")));
  }
  return static_cast<std::size_t>(at - widths.begin());
}

void expect_lapack() {
  if (blas::has_potrf()) return;
  throw UsageError(
      "the linked BLAS has no POTRF (a routine of LAPACK); leave out --kernels or build with a "
      "library that has it");
}

}  // namespace

const std::vector<Index>& panel_widths() {
  static const std::vector<Index> all(widths.begin(), widths.end());
  return all;
}

const Kernels& kernels_for(const DenseKernels& wanted, const SwitchPoints& points) {
  static const auto own = table_of<OwnParts>(own_update, pairs);
  static const auto mixed = table_of<BlasParts>(blas_update, pairs);
  static const Kernels by_blas{blas::potrf,
                               kernels.signed_potrf,
                               kernels.pivoted_potrf,
                               blas_trsm,
                               blas_update,
                               forward,
                               backward,
                               multiply,
                               multiply_transposed};
  const Tuning defaults;
  const std::size_t pair = place_of(wanted.panel1, defaults.trsm_panel, "panel1") * widths.size() +
                           place_of(wanted.panel2, defaults.potrf_panel, "panel2");
  if (wanted.from == DenseKernels::Source::automatic) return kernels_with(points);
  if (wanted.from == DenseKernels::Source::own) return own[pair];
  expect_lapack();
  return wanted.from == DenseKernels::Source::mixed ? mixed[pair] : by_blas;
}

}  // namespace espalier::internal::cpu
