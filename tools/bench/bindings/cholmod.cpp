// SPDX-License-Identifier: BSD-3-Clause
// CHOLMOD's supernodal factorization of double precision, ordered by METIS. It uses
// OPENBLAS_NUM_THREADS threads.
#include <cholmod.h>

#include <algorithm>
#include <string>
#include <vector>

#include "binding.h"

namespace espalier::internal::bench {
namespace {

cholmod_common common;
cholmod_sparse matrix;
cholmod_factor* factor = nullptr;
std::vector<int> column_begin;

void expect(bool success, const char* step) {
  if (!success || common.status != CHOLMOD_OK) {
    bench_fail((std::string("CHOLMOD fails in the ") + step).c_str());
  }
}

}  // namespace
}  // namespace espalier::internal::bench

using namespace espalier::internal::bench;  // NOLINT: the functions below are the global
                                            // namespace's

void bench_open(const char* name, int /*workers*/, const bench_matrix* given) {
  if (std::string(name) != "cholmod") bench_fail("the only solver is cholmod");
  cholmod_start(&common);
  common.supernodal = CHOLMOD_SUPERNODAL;
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_METIS;
  column_begin.assign(given->colptr, given->colptr + given->n + 1);
  matrix = {};
  matrix.nrow = matrix.ncol = static_cast<std::size_t>(given->n);
  matrix.nzmax = static_cast<std::size_t>(column_begin.back());
  matrix.p = column_begin.data();
  matrix.i = const_cast<int*>(given->row);
  matrix.x = const_cast<double*>(given->value);
  matrix.stype = -1;
  matrix.itype = CHOLMOD_INT;
  matrix.xtype = CHOLMOD_REAL;
  matrix.dtype = CHOLMOD_DOUBLE;
  matrix.sorted = 1;
  matrix.packed = 1;
}

void bench_analyze() {
  factor = cholmod_analyze(&matrix, &common);
  expect(factor != nullptr, "analysis");
}

void bench_factorize() {
  expect(cholmod_factorize(&matrix, factor, &common) != 0, "factorization");
}

void bench_solve(const double* b, double* x) {
  cholmod_dense right{};
  right.nrow = right.nzmax = right.d = matrix.nrow;
  right.ncol = 1;
  right.x = const_cast<double*>(b);
  right.xtype = CHOLMOD_REAL;
  right.dtype = CHOLMOD_DOUBLE;
  cholmod_dense* solution = cholmod_solve(CHOLMOD_A, factor, &right, &common);
  expect(solution != nullptr, "solve");
  std::copy_n(static_cast<const double*>(solution->x), matrix.nrow, x);
  cholmod_free_dense(&solution, &common);
}

void bench_close() {
  cholmod_free_factor(&factor, &common);
  cholmod_finish(&common);
}
