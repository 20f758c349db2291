// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>

#include "codelets/reference/kernels.hpp"

namespace espalier::internal::reference {

namespace {

/// A := L with A = L J Lᵀ. accept(pivot, column) returns whether a pivot passes its check. It may
/// replace the pivot.
template <class Accept>
PivotReport factor(MatrixView a, Signs sign, Accept accept) {
  for (Index j = 0; j < a.columns; ++j) {
    for (Index k = 0; k < j; ++k) {
      const double right = sign_of(sign, k) * a(j, k);
      for (Index i = j; i < a.rows; ++i) a(i, j) -= a(i, k) * right;
    }
    if (!accept(a(j, j), j)) return {j};
    a(j, j) = std::sqrt(sign_of(sign, j) * a(j, j));
    const double divisor = sign_of(sign, j) * a(j, j);
    for (Index i = j + 1; i < a.rows; ++i) a(i, j) /= divisor;
  }
  return {};
}

}  // namespace

PivotReport potrf(MatrixView a) noexcept {
  return factor(a, nullptr, [](double pivot, Index) { return pivot > 0; });
}

PivotReport signed_potrf(MatrixView a, const SignedPivots& pivots) noexcept {
  return factor(a, pivots.sign, [&](double& pivot, Index column) {
    if (!std::isfinite(pivot)) return false;
    if (pivots.sign[column] * pivot > pivots.least) return true;
    if (!(pivots.replacement > 0)) return false;
    pivot = pivots.sign[column] * pivots.replacement;
    if (pivots.replaced != nullptr) pivots.replaced[column] = 1;
    return true;
  });
}

void trsm(ConstMatrixView l, MatrixView b, std::span<double>) noexcept {
  for (Index j = 0; j < b.columns; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (Index i = 0; i < b.rows; ++i) b(i, j) -= b(i, k) * l(j, k);
    }
    for (Index i = 0; i < b.rows; ++i) b(i, j) /= l(j, j);
  }
}

void update(const UpdateArguments& given) noexcept {
  const auto& [a, b, lower, target, buffer, sign] = given;
  for (Index j = 0; j < b.rows; ++j) {
    for (Index i = lower ? j : 0; i < a.rows; ++i) {
      double sum = 0;
      for (Index k = 0; k < a.columns; ++k) sum += a(i, k) * (sign_of(sign, k) * b(j, k));
      const Index row = target.row ? target.row[i] : i;
      const Index column = target.column ? target.column[j] : j;
      target.data[row + column * target.ld] -= sum;
    }
  }
}

const Kernels kernels{potrf,    signed_potrf, pivoted_potrf,      trsm, update, forward,
                      backward, multiply,     multiply_transposed};

}  // namespace espalier::internal::reference
