// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/kernels.hpp"

namespace espalier::internal::cuda {

namespace {

template <class Work>
__global__ void each_lane(Work work) {
  work.run({static_cast<Index>(blockIdx.x), static_cast<Index>(threadIdx.x)});
}

/// Starts a kernel. Throws if the start itself fails. The last error of the thread is not used,
/// because it may belong to an earlier call whose caller has handled it. StarPU, for example,
/// handles the error if a device has no free memory.
template <class... Arguments>
void start(void (*kernel)(Arguments...), Index blocks, Index threads, cudaStream_t stream,
           Arguments... arguments) {
  void* all[] = {static_cast<void*>(&arguments)...};
  expect_success(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                  dim3(static_cast<unsigned>(threads)), all, 0, stream),
                 "starting a kernel");
}

template <class Work>
void launch_lanes(const Work& work, cudaStream_t stream) {
  const Index blocks = work.blocks();
  if (blocks == 0) return;
  start(each_lane<Work>, blocks, threads_of_block, stream, work);
}

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void start_clock(unsigned long long* begin) { *begin = nanoseconds(); }

__global__ void stop_clock(const unsigned long long* begin, double* seconds) {
  *seconds = seconds_between(*begin, nanoseconds());
}

}  // namespace

void launch(const Scatter& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const Scatters& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const Outcome& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const Zeros& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const PivotColumns& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const PivotOutcome& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const SignedCopy& work, cudaStream_t stream) { launch_lanes(work, stream); }

void launch_start_of_clock(unsigned long long* begin, cudaStream_t stream) {
  start(start_clock, 1, 1, stream, begin);
}

void launch_stop_of_clock(const unsigned long long* begin, double* seconds, cudaStream_t stream) {
  start(stop_clock, 1, 1, stream, begin, seconds);
}

}  // namespace espalier::internal::cuda
