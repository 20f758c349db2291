// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/kernels.hpp"

namespace espalier::internal::cuda {

namespace {

template <class Work>
__global__ void each_lane(Work work) {
  work.run({static_cast<Index>(blockIdx.x), static_cast<Index>(threadIdx.x)});
}

template <class Work>
void launch_lanes(const Work& work, cudaStream_t stream) {
  const Index blocks = work.blocks();
  if (blocks == 0) return;
  each_lane<<<static_cast<unsigned>(blocks), threads_of_block, 0, stream>>>(work);
  expect_success(cudaGetLastError(), "starting a kernel");
}

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void start_clock(unsigned long long* begin) { *begin = nanoseconds(); }

__global__ void stop_clock(const unsigned long long* begin, double* seconds) {
  *seconds = static_cast<double>(nanoseconds() - *begin) * 1e-9;
}

}  // namespace

void launch(const Scatter& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const Scatters& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const Assembly& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const Outcome& work, cudaStream_t stream) { launch_lanes(work, stream); }
void launch(const Zeros& work, cudaStream_t stream) { launch_lanes(work, stream); }

void launch_start_of_clock(unsigned long long* begin, cudaStream_t stream) {
  start_clock<<<1, 1, 0, stream>>>(begin);
  expect_success(cudaGetLastError(), "starting a kernel");
}

void launch_stop_of_clock(const unsigned long long* begin, double* seconds, cudaStream_t stream) {
  stop_clock<<<1, 1, 0, stream>>>(begin, seconds);
  expect_success(cudaGetLastError(), "starting a kernel");
}

}  // namespace espalier::internal::cuda
