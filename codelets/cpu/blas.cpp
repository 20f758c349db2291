// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"

extern "C" {
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
void dtrsv_(const char*, const char*, const char*, const int*, const double*, const int*, double*,
            const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, const int*, const double*, double*, const int*);
}

namespace espalier::blas {

namespace {

constexpr double one = 1;
constexpr double minus_one = -1;
constexpr double zero = 0;
constexpr int unit_stride = 1;

const char* letter(Op op) { return op == Op::none ? "N" : "T"; }

/// BLAS wants a leading dimension of at least 1, also for an empty matrix.
template <class T>
int leading(const BasicMatrixView<T>& a) {
  return a.ld > 0 ? static_cast<int>(a.ld) : 1;
}

void syrk(ConstMatrixView a, double alpha, double beta, MatrixView c) {
  const int lda = leading(a);
  const int ldc = leading(c);
  dsyrk_("L", "N", &a.rows, &a.columns, &alpha, a.data, &lda, &beta, c.data, &ldc);
}

struct Scale {
  double product;
  double target;
};

void gemm(Op op_a, Op op_b, ConstMatrixView a, ConstMatrixView b, Scale scale, MatrixView c) {
  const int inner = op_a == Op::none ? a.columns : a.rows;
  const int lda = leading(a);
  const int ldb = leading(b);
  const int ldc = leading(c);
  dgemm_(letter(op_a), letter(op_b), &c.rows, &c.columns, &inner, &scale.product, a.data, &lda,
         b.data, &ldb, &scale.target, c.data, &ldc);
}

}  // namespace

void trsm(Side side, Op op, ConstMatrixView l, MatrixView b) noexcept {
  const int ldl = leading(l);
  const int ldb = leading(b);
  dtrsm_(side == Side::left ? "L" : "R", "L", letter(op), "N", &b.rows, &b.columns, &one, l.data,
         &ldl, b.data, &ldb);
}

void syrk(ConstMatrixView a, MatrixView c) noexcept { syrk(a, minus_one, one, c); }

void syrk_product(ConstMatrixView a, MatrixView c) noexcept { syrk(a, one, zero, c); }

void gemm(Op op_a, Op op_b, ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept {
  gemm(op_a, op_b, a, b, {minus_one, one}, c);
}

void gemm_product(ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept {
  gemm(Op::none, Op::transpose, a, b, {one, zero}, c);
}

void trsv(Op op, ConstMatrixView l, double* x) noexcept {
  const int ldl = leading(l);
  dtrsv_("L", letter(op), "N", &l.columns, l.data, &ldl, x, &unit_stride);
}

void gemv(Op op, ConstMatrixView a, const double* x, double* y) noexcept {
  const int lda = leading(a);
  dgemv_(letter(op), &a.rows, &a.columns, &minus_one, a.data, &lda, x, &unit_stride, &one, y,
         &unit_stride);
}

}  // namespace espalier::blas
