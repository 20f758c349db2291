// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"

#include <string>

#include "espalier/error.hpp"

namespace espalier::cuda {

namespace {

[[noreturn]] void fail(const char* what, const std::string& why) {
  throw RuntimeFailure(std::string("a CUDA device failed: ") + what + ": " + why +
                       "; check it with nvidia-smi, or leave out --cuda-devices");
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

}  // namespace espalier::cuda
