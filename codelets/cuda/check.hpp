// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

namespace espalier::cuda {

/// Each throws RuntimeFailure, which says what failed and why, where a call did not succeed.
void expect_success(cudaError_t status, const char* what);
void expect_success(cublasStatus_t status, const char* what);
void expect_success(cusolverStatus_t status, const char* what);

}  // namespace espalier::cuda
