// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include "codelets/cuda/kernel_functors.hpp"

namespace espalier::internal::cuda {

/// Each starts its work on the stream.
void launch(const Scatter& work, cudaStream_t stream);
void launch(const Scatters& work, cudaStream_t stream);
void launch(const Outcome& work, cudaStream_t stream);
void launch(const Zeros& work, cudaStream_t stream);
void launch(const PivotColumns& work, cudaStream_t stream);
void launch(const PivotOutcome& work, cudaStream_t stream);
void launch(const SignedCopy& work, cudaStream_t stream);

/// When the stream reaches this point, writes the device's clock in nanoseconds to memory of the
/// device.
void launch_start_of_clock(unsigned long long* begin, cudaStream_t stream);
/// Writes the seconds since then to memory of the host.
void launch_stop_of_clock(const unsigned long long* begin, double* seconds, cudaStream_t stream);

}  // namespace espalier::internal::cuda
