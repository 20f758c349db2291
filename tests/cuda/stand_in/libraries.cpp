// SPDX-License-Identifier: BSD-3-Clause
// The functions of cuBLAS and cuSOLVER that Espalier calls, on the host. They check matrices at the
// call and again when the stream runs the work, because the memory may be freed by then.
#include <cblas.h>
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cuda/stand_in/call.hpp"
#include "cuda/stand_in/operand.hpp"
#include "cuda/stand_in/order.hpp"
#include "cuda/stand_in/stream.hpp"

struct cublasContext {
  int device = stand_in::current_device();
  cudaStream_t stream = nullptr;
};
struct cusolverDnContext {
  int device = stand_in::current_device();
  cudaStream_t stream = nullptr;
};

namespace {

using stand_in::Call;
using stand_in::expect_apart;
using stand_in::expect_sizes;
using stand_in::Operand;
using stand_in::reach;
using stand_in::reach_to_read;
using stand_in::reach_to_write;

/// Returns the first column, from 1, whose pivot is not positive, or 0.
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

cublasStatus_t status_of(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                            : CUBLAS_STATUS_EXECUTION_FAILED;
}

CBLAS_TRANSPOSE of(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}
CBLAS_UPLO of(cublasFillMode_t mode) {
  return mode == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

/// Returns the operand whose op() has these sizes.
Operand operand(const char* name, const double* data, cublasOperation_t operation, int rows,
                int columns, int ld) {
  if (operation == CUBLAS_OP_N) return {name, data, rows, columns, ld};
  return {name, data, columns, rows, ld};
}

/// Submits the work of a library handle to its stream.
template <class Handle>
void submit(Handle handle, const char* function, std::function<void(int device)> work) {
  if (handle->device != stand_in::current_device()) {
    stand_in::misuse("the handle is one of device " + std::to_string(handle->device));
  }
  stand_in::run_on(handle->stream, function,
                   [work = std::move(work), device = handle->device] { work(device); });
  stand_in::count([](stand_in::Counts& counts) { ++counts.calls_of_libraries; });
}

template <class Handle>
void set_stream(Handle handle, cudaStream_t stream) {
  if (stream != nullptr && stand_in::stream_of(stream)->device != handle->device) {
    stand_in::misuse("the handle is one of device " + std::to_string(handle->device));
  }
  handle->stream = stream;
}

struct Product {
  CBLAS_TRANSPOSE on_a;
  CBLAS_TRANSPOSE on_b;
  int m, n, k;
  double of_product, of_c;
  Operand a, b, c;

  void expect_sense(int device) const {
    expect_sizes(m, n, k);
    if (m == 0 || n == 0) return;
    reach(c, device);
    if (k == 0 || of_product == 0) return;
    reach(a, device);
    reach(b, device);
    expect_apart(c, a);
    expect_apart(c, b);
  }
  void run(int device) const {
    expect_sense(device);
    if (m == 0 || n == 0) return;
    cblas_dgemm(CblasColMajor, on_a, on_b, m, n, k, of_product, reach_to_read(a, device),
                static_cast<int>(a.ld), reach_to_read(b, device), static_cast<int>(b.ld), of_c,
                reach_to_write(c, device), static_cast<int>(c.ld));
  }
};

/// Products whose matrices are in lists in device memory.
struct Group {
  Product like;
  const double* const* a;
  const double* const* b;
  double* const* c;
  int first;
  int count;

  template <class Address>
  Address list(const Address* there, int i, int device, const char* what) const {
    const auto end = static_cast<std::size_t>(first + count) * sizeof(Address);
    if (stand_in::kind_of(there) != stand_in::Kind::device) {
      stand_in::misuse(std::string(what) + " is not in the memory of a device");
    }
    stand_in::touch(there, end, false);
    return reinterpret_cast<const Address*>(reach(there, end, device, what))[first + i];
  }
  Product product(int i, int device) const {
    Product p = like;
    p.a.data = list(a, i, device, "the list of A");
    p.b.data = list(b, i, device, "the list of B");
    p.c.data = list(c, i, device, "the list of C");
    return p;
  }
};

/// Expects that no product writes a matrix of another one, because they run in any order.
void expect_independent(const std::vector<Product>& products) {
  for (const Product& one : products) {
    for (const Product& other : products) {
      if (&one == &other) continue;
      expect_apart(one.c, other.a);
      expect_apart(one.c, other.b);
      expect_apart(one.c, other.c);
    }
  }
}

/// Size of the workspace. That of cuSOLVER is not documented.
int workspace_entries(int n) { return 3 * n + 64; }

void poison(double* begin, int entries) {
  std::fill_n(begin, entries, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  const Call call("cublasCreate");
  if (call.error) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  const Call call("cublasSetStream");
  if (call.error) return CUBLAS_STATUS_EXECUTION_FAILED;
  set_stream(handle, stream);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t on_a, cublasOperation_t on_b,
                              int m, int n, int k, const double* alpha, const double* a, int lda,
                              const double* b, int ldb, const double* beta, double* c, int ldc) {
  const Call call("cublasDgemm");
  if (call.error) return status_of(call.error);
  const Product product{of(on_a),
                        of(on_b),
                        m,
                        n,
                        k,
                        *alpha,
                        *beta,
                        operand("A", a, on_a, m, k, lda),
                        operand("B", b, on_b, k, n, ldb),
                        {"C", c, m, n, ldc}};
  product.expect_sense(handle->device);
  submit(handle, "cublasDgemm", [product](int device) { product.run(device); });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDgemmGroupedBatched(cublasHandle_t handle, const cublasOperation_t* on_a,
                                         const cublasOperation_t* on_b, const int* m, const int* n,
                                         const int* k, const double* alpha, const double* const* a,
                                         const int* lda, const double* const* b, const int* ldb,
                                         const double* beta, double* const* c, const int* ldc,
                                         int groups, const int* sizes) {
  const Call call("cublasDgemmGroupedBatched");
  if (call.error) return status_of(call.error);
  if (groups <= 0) stand_in::misuse(std::to_string(groups) + " groups");
  std::vector<Group> all;
  int first = 0;
  for (int g = 0; g < groups; first += sizes[g++]) {
    if (sizes[g] <= 0) stand_in::misuse("group " + std::to_string(g) + " has no product");
    const Product like{of(on_a[g]),
                       of(on_b[g]),
                       m[g],
                       n[g],
                       k[g],
                       alpha[g],
                       beta[g],
                       operand("A", nullptr, on_a[g], m[g], k[g], lda[g]),
                       operand("B", nullptr, on_b[g], k[g], n[g], ldb[g]),
                       {"C", nullptr, m[g], n[g], ldc[g]}};
    expect_sizes(m[g], n[g], k[g]);
    all.push_back({like, a, b, c, first, sizes[g]});
  }
  submit(handle, "cublasDgemmGroupedBatched", [all](int device) {
    std::vector<Product> products;
    for (const Group& group : all) {
      for (int i = 0; i < group.count; ++i) products.push_back(group.product(i, device));
    }
    for (const Product& product : products) product.expect_sense(device);
    expect_independent(products);
    for (const Product& product : products) product.run(device);
  });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDsyrk_v2(cublasHandle_t handle, cublasFillMode_t mode, cublasOperation_t on_a,
                              int n, int k, const double* alpha, const double* a, int lda,
                              const double* beta, double* c, int ldc) {
  const Call call("cublasDsyrk");
  if (call.error) return status_of(call.error);
  expect_sizes(n, n, k);
  const Operand from = operand("A", a, on_a, n, k, lda);
  const Operand to{"C", c, n, n, ldc};
  const auto work = [=, of_product = *alpha, of_c = *beta](int device) {
    expect_apart(to, from);
    cblas_dsyrk(CblasColMajor, of(mode), of(on_a), n, k, of_product, reach_to_read(from, device),
                lda, of_c, reach_to_write(to, device), ldc);
  };
  expect_apart(to, from);
  reach(from, handle->device);
  reach(to, handle->device);
  submit(handle, "cublasDsyrk", work);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDtrsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t mode,
                              cublasOperation_t on_a, cublasDiagType_t diagonal, int m, int n,
                              const double* alpha, const double* a, int lda, double* b, int ldb) {
  const Call call("cublasDtrsm");
  if (call.error) return status_of(call.error);
  expect_sizes(m, n, 0);
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Operand triangle{"A", a, order, order, lda};
  const Operand x{"B", b, m, n, ldb};
  expect_apart(x, triangle);
  reach(triangle, handle->device);
  reach(x, handle->device);
  submit(handle, "cublasDtrsm", [=, factor = *alpha](int device) {
    cblas_dtrsm(CblasColMajor, side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight, of(mode),
                of(on_a), diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit, m, n, factor,
                reach_to_read(triangle, device), lda, reach_to_write(x, device), ldb);
  });
  return CUBLAS_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  const Call call("cusolverDnCreate");
  if (call.error) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  const Call call("cusolverDnSetStream");
  if (call.error) return CUSOLVER_STATUS_EXECUTION_FAILED;
  set_stream(handle, stream);
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDpotrf_bufferSize(cusolverDnHandle_t /*handle*/,
                                             cublasFillMode_t /*mode*/, int n, double* /*a*/,
                                             int lda, int* entries) {
  if (lda < n) return CUSOLVER_STATUS_INVALID_VALUE;
  *entries = workspace_entries(n);
  return CUSOLVER_STATUS_SUCCESS;
}
/// Factorizes the matrix. The workspace holds NaN before and after, but only as much of it as is
/// needed, to save time.
cusolverStatus_t cusolverDnDpotrf(cusolverDnHandle_t handle, cublasFillMode_t mode, int n,
                                  double* a, int lda, double* buffer, int entries, int* info) {
  const Call call("cusolverDnDpotrf");
  if (call.error) return CUSOLVER_STATUS_EXECUTION_FAILED;
  if (mode != CUBLAS_FILL_MODE_LOWER) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (entries < workspace_entries(n)) {
    stand_in::misuse("the workspace has " + std::to_string(entries) + " entries, but " +
                     std::to_string(workspace_entries(n)) + " are needed");
  }
  const Operand matrix{"A", a, n, n, lda};
  const Operand workspace{"the workspace", buffer, entries, 1, entries};
  expect_apart(workspace, matrix);
  reach(matrix, handle->device);
  reach(workspace, handle->device);
  reach(info, sizeof *info, handle->device, "the number of the failed pivot");
  submit(handle, "cusolverDnDpotrf", [=](int device) {
    double* const scratch = reach_to_write(workspace, device);
    stand_in::touch(info, sizeof *info, true);
    poison(scratch, workspace_entries(n));
    auto* const answer =
        reinterpret_cast<int*>(reach(info, sizeof *info, device, "the number of the failed pivot"));
    *answer = factor(reach_to_write(matrix, device), lda, n);
    poison(scratch, workspace_entries(n));
  });
  return CUSOLVER_STATUS_SUCCESS;
}
}
