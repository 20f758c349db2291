// SPDX-License-Identifier: BSD-3-Clause
// The functions of cuBLAS and cuSOLVER that Espalier calls, on the host.
#include <cblas.h>
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>

#include "cuda/stand_in/runtime.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
};
struct cusolverDnContext {
  cudaStream_t stream = nullptr;
};

namespace {

using stand_in::run_on;

/// The first column, from 1, whose pivot is not positive, or 0.
int factor(double* a, int ld, int n) {
  for (int j = 0; j < n; ++j) {
    double* const column = a + static_cast<long>(j) * ld;
    for (int k = 0; k < j; ++k) {
      const double* const left = a + static_cast<long>(k) * ld;
      for (int i = j; i < n; ++i) column[i] -= left[i] * left[j];
    }
    if (!(column[j] > 0)) return j + 1;
    column[j] = std::sqrt(column[j]);
    for (int i = j + 1; i < n; ++i) column[i] /= column[j];
  }
  return 0;
}

CBLAS_TRANSPOSE of(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}
CBLAS_UPLO of(cublasFillMode_t mode) {
  return mode == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t on_a, cublasOperation_t on_b,
                              int m, int n, int k, const double* alpha, const double* a, int lda,
                              const double* b, int ldb, const double* beta, double* c, int ldc) {
  run_on(handle->stream, [=, of_product = *alpha, of_c = *beta] {
    cblas_dgemm(CblasColMajor, of(on_a), of(on_b), m, n, k, of_product, a, lda, b, ldb, of_c, c,
                ldc);
  });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDgemmGroupedBatched(cublasHandle_t handle, const cublasOperation_t* on_a,
                                         const cublasOperation_t* on_b, const int* m, const int* n,
                                         const int* k, const double* alpha, const double* const* a,
                                         const int* lda, const double* const* b, const int* ldb,
                                         const double* beta, double* const* c, const int* ldc,
                                         int groups, const int* sizes) {
  if (stand_in::fails("cublasDgemmGroupedBatched")) return CUBLAS_STATUS_ALLOC_FAILED;
  int first = 0;
  for (int g = 0; g < groups; first += sizes[g++]) {
    run_on(handle->stream, [=, of_a = of(on_a[g]), of_b = of(on_b[g]), rows = m[g], columns = n[g],
                            inner = k[g], of_product = alpha[g], of_c = beta[g], ld_of_a = lda[g],
                            ld_of_b = ldb[g], ld_of_c = ldc[g], last = first + sizes[g]] {
      for (int i = first; i < last; ++i) {
        cblas_dgemm(CblasColMajor, of_a, of_b, rows, columns, inner, of_product, a[i], ld_of_a,
                    b[i], ld_of_b, of_c, c[i], ld_of_c);
      }
    });
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDsyrk_v2(cublasHandle_t handle, cublasFillMode_t mode, cublasOperation_t on_a,
                              int n, int k, const double* alpha, const double* a, int lda,
                              const double* beta, double* c, int ldc) {
  run_on(handle->stream, [=, of_product = *alpha, of_c = *beta] {
    cblas_dsyrk(CblasColMajor, of(mode), of(on_a), n, k, of_product, a, lda, of_c, c, ldc);
  });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDtrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t mode,
                              cublasOperation_t on_a, cublasDiagType_t diagonal, int m, int n,
                              const double* alpha, const double* a, int lda, double* b, int ldb) {
  if (stand_in::fails("cublasDtrsm")) return CUBLAS_STATUS_ALLOC_FAILED;
  run_on(handle->stream, [=, factor = *alpha] {
    cblas_dtrsm(CblasColMajor, side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight, of(mode),
                of(on_a), diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, m, n, factor, a,
                lda, b, ldb);
  });
  return CUBLAS_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDpotrf_bufferSize(cusolverDnHandle_t /*handle*/,
                                             cublasFillMode_t /*mode*/, int n, double* /*a*/,
                                             int /*lda*/, int* entries) {
  *entries = n;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDpotrf(cusolverDnHandle_t handle, cublasFillMode_t mode, int n,
                                  double* a, int lda, double* /*buffer*/, int /*entries*/,
                                  int* info) {
  if (mode != CUBLAS_FILL_MODE_LOWER) return CUSOLVER_STATUS_NOT_SUPPORTED;
  run_on(handle->stream, [=] { *info = factor(a, lda, n); });
  return CUSOLVER_STATUS_SUCCESS;
}
}
