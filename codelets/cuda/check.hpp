// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <string>

namespace espalier::internal::cuda {

/// Each throws RuntimeFailure if a call failed. The message names the device, the call and the
/// reason.
void expect_success(cudaError_t status, const char* what);
void expect_success(cublasStatus_t status, const char* what);
void expect_success(cusolverStatus_t status, const char* what);

/// Returns the message that expect_success() would throw for the last call of CUDA's runtime that
/// failed on this thread, or an empty text if none failed.
std::string failure_of_this_thread();

}  // namespace espalier::internal::cuda
