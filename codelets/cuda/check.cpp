// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"

#include <string>

#include "espalier/error.hpp"

namespace espalier::internal::cuda {

namespace {

std::string describe(const char* what, const std::string& why) {
  int device = 0;
  cudaGetDevice(&device);
  return "CUDA device " + std::to_string(device) + " failed at " + what + ": " + why +
         "; check it with nvidia-smi, or leave out --cuda-devices";
}

[[noreturn]] void fail(const char* what, const std::string& why) {
  throw RuntimeFailure(describe(what, why));
}

}  // namespace

void expect_success(cudaError_t status, const char* what) {
  if (status != cudaSuccess) fail(what, cudaGetErrorString(status));
}

void expect_success(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(what, cublasGetStatusString(status));
}

void expect_success(cusolverStatus_t status, const char* what) {
  if (status != CUSOLVER_STATUS_SUCCESS) fail(what, "cuSOLVER error " + std::to_string(status));
}

std::string failure_of_this_thread() {
  const cudaError_t last = cudaPeekAtLastError();
  if (last == cudaSuccess) return {};
  return describe("work that StarPU gave it", cudaGetErrorString(last));
}

}  // namespace espalier::internal::cuda
