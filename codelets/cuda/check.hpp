// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <string>

namespace espalier::internal::cuda {

/// Each throws RuntimeFailure, which says which device failed, at what and why, where a call did
/// not succeed.
void expect_success(cudaError_t status, const char* what);
void expect_success(cublasStatus_t status, const char* what);
void expect_success(cusolverStatus_t status, const char* what);

/// Returns the same about the last call of CUDA's runtime by this thread that failed, and an empty
/// text where none did.
std::string failure_of_this_thread();

}  // namespace espalier::internal::cuda
