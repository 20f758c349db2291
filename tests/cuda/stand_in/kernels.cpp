// SPDX-License-Identifier: BSD-3-Clause
// Kernels on the host: what nvcc's code calls to start them. A kernel is known by its name; its
// threads run one after another.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <string>

#include "codelets/cuda/kernel_functors.hpp"
#include "cuda/stand_in/runtime.hpp"

namespace {

using espalier::Index;
using Clock = unsigned long long;

std::map<const void*, std::string>& names() {
  static auto* const made = new std::map<const void*, std::string>;
  return *made;
}

struct Launch {
  dim3 grid;
  dim3 block;
  cudaStream_t stream;
};
thread_local Launch prepared;

template <class Work>
void run_lanes(const Launch& launch, void** arguments) {
  stand_in::run_on(launch.stream, [launch, work = *static_cast<Work*>(arguments[0])] {
    for (unsigned block = 0; block < launch.grid.x; ++block) {
      for (unsigned thread = 0; thread < launch.block.x; ++thread) {
        work.run({static_cast<Index>(block), static_cast<Index>(thread)});
      }
    }
  });
}

Clock nanoseconds() {
  return static_cast<Clock>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void run(const std::string& name, const Launch& launch, void** arguments) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("Scatters")) return run_lanes<espalier::internal::cuda::Scatters>(launch, arguments);
  if (has("Scatter")) return run_lanes<espalier::internal::cuda::Scatter>(launch, arguments);
  if (has("Assembly")) return run_lanes<espalier::internal::cuda::Assembly>(launch, arguments);
  if (has("Outcome")) return run_lanes<espalier::internal::cuda::Outcome>(launch, arguments);
  if (has("Zeros")) return run_lanes<espalier::internal::cuda::Zeros>(launch, arguments);
  if (has("start_clock")) {
    return stand_in::run_on(
        launch.stream, [begin = *static_cast<Clock**>(arguments[0])] { *begin = nanoseconds(); });
  }
  if (!has("stop_clock")) std::abort();
  stand_in::run_on(launch.stream, [begin = *static_cast<Clock**>(arguments[0]),
                                   seconds = *static_cast<double**>(arguments[1])] {
    *seconds = static_cast<double>(nanoseconds() - *begin) * 1e-9;
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA's names
extern "C" {

void** __cudaRegisterFatBinary(void* /*binary*/) { return new void*; }
void __cudaRegisterFatBinaryEnd(void** /*handle*/) {}
void __cudaUnregisterFatBinary(void** handle) { delete handle; }
void __cudaRegisterFunction(void** /*handle*/, const char* entry, char* /*function*/,
                            const char* name, int /*limit*/, uint3* /*thread*/, uint3* /*block*/,
                            dim3* /*block_size*/, dim3* /*grid_size*/, int* /*warp_size*/) {
  names()[entry] = name;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t /*shared*/,
                                     CUstream_st* stream) {
  prepared = {grid, block, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = prepared.grid;
  *block = prepared.block;
  *shared = 0;
  *static_cast<cudaStream_t*>(stream) = prepared.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* entry) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(entry));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t /*shared*/, cudaStream_t stream) {
  run(names().at(kernel), {grid, block, stream}, arguments);
  return cudaSuccess;
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
