// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/blas.hpp"

#include <mutex>

extern "C" {
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, double*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*);
}

namespace espalier::blas {

namespace {

constexpr double one = 1;
constexpr double minus_one = -1;

const char* letter(Op op) { return op == Op::none ? "N" : "T"; }

/// BLAS wants a leading dimension of at least 1, also for an empty matrix.
template <class T>
int leading(const BasicMatrixView<T>& a) {
  return a.ld > 0 ? static_cast<int>(a.ld) : 1;
}

}  // namespace

void trsm(ConstMatrixView l, MatrixView b) noexcept {
  const int ldl = leading(l);
  const int ldb = leading(b);
  dtrsm_("R", "L", "N", "N", &b.rows, &b.columns, &one, l.data, &ldl, b.data, &ldb);
}

void syrk(ConstMatrixView a, MatrixView c) noexcept {
  const int lda = leading(a);
  const int ldc = leading(c);
  dsyrk_("L", "N", &a.rows, &a.columns, &minus_one, a.data, &lda, &one, c.data, &ldc);
}

void gemm(Op op, ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept {
  const int lda = leading(a);
  const int ldb = leading(b);
  const int ldc = leading(c);
  dgemm_("N", letter(op), &c.rows, &c.columns, &a.columns, &minus_one, a.data, &lda, b.data, &ldb,
         &one, c.data, &ldc);
}

}  // namespace espalier::blas

extern "C" {
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
char* openblas_get_config(void);
}

namespace espalier {

namespace {

struct Users {
  std::mutex mutex;
  int count = 0;
  int threads_before = 1;
};

Users& users() {
  static Users object;
  return object;
}

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  Users& all = users();
  const std::lock_guard lock(all.mutex);
  if (all.count++ > 0) return;
  all.threads_before = openblas_get_num_threads();
  if (all.threads_before != 1) openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  Users& all = users();
  const std::lock_guard lock(all.mutex);
  if (--all.count == 0 && all.threads_before != 1) openblas_set_num_threads(all.threads_before);
}

std::string blas_description() { return openblas_get_config(); }

}  // namespace espalier
