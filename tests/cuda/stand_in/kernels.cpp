// SPDX-License-Identifier: BSD-3-Clause
// Kernels on the host: the functions that nvcc's code calls to start them. A kernel is recognized
// by its name. Its threads run one after another. STAND_IN_ORDER chooses their order: "forward",
// "backward", or "compare", which runs both and compares the results.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cuda/stand_in/call.hpp"
#include "cuda/stand_in/functors.hpp"
#include "cuda/stand_in/settings.hpp"
#include "cuda/stand_in/stream.hpp"

namespace {

using espalier::Index;
using espalier::internal::cuda::Lane;
using stand_in::There;
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
void run_forward(const Launch& launch, const Work& work) {
  for (unsigned block = 0; block < launch.grid.x; ++block) {
    for (unsigned thread = 0; thread < launch.block.x; ++thread) {
      work.run(Lane{static_cast<Index>(block), static_cast<Index>(thread)});
    }
  }
}

/// Runs the threads of all blocks in turns, the last ones first.
template <class Work>
void run_backward(const Launch& launch, const Work& work) {
  for (unsigned thread = launch.block.x; thread-- > 0;) {
    for (unsigned block = launch.grid.x; block-- > 0;) {
      work.run(Lane{static_cast<Index>(block), static_cast<Index>(thread)});
    }
  }
}

/// Copy of the memory that a kernel may write.
class Snapshot {
 public:
  explicit Snapshot(const std::vector<There::Written>& written) : written_(written) {
    for (const There::Written& part : written_)
      bytes_.emplace_back(part.begin, part.begin + part.bytes);
  }
  void restore() const {
    for (std::size_t i = 0; i < written_.size(); ++i) {
      std::memcpy(written_[i].begin, bytes_[i].data(), bytes_[i].size());
    }
  }
  bool operator==(const Snapshot& other) const { return bytes_ == other.bytes_; }

 private:
  const std::vector<There::Written>& written_;
  std::vector<std::vector<char>> bytes_;
};

template <class Work>
void run_in_order(const Launch& launch, const Work& work, const There& there) {
  const std::string order = stand_in::text("STAND_IN_ORDER", "forward");
  if (order == "forward") return run_forward(launch, work);
  if (order == "backward") return run_backward(launch, work);
  const Snapshot before(there.written());
  run_backward(launch, work);
  const Snapshot one(there.written());
  before.restore();
  run_forward(launch, work);
  if (Snapshot(there.written()) == one) return;
  stand_in::misuse("the result of the kernel depends on the order of its threads");
}

void finish(int device) {
  stand_in::count([](stand_in::Counts& counts) { ++counts.kernels; });
  if (stand_in::fails("kernel")) stand_in::fail_for_ever(device, cudaErrorIllegalAddress);
}

template <class Work>
void run_lanes(const Launch& launch, void** arguments, const char* name) {
  const Work work = *static_cast<Work*>(arguments[0]);
  const int device = stand_in::current_device();
  stand_in::run_on(launch.stream, name, [launch, device, work] {
    There there(device);
    run_in_order(launch, there.translated(work), there);
    finish(device);
  });
}

/// With STAND_IN_CLOCK=back, each reading is before the previous one.
Clock nanoseconds() {
  const auto now = static_cast<Clock>(std::chrono::steady_clock::now().time_since_epoch().count());
  return stand_in::text("STAND_IN_CLOCK", "") == "back" ? ~now : now;
}

void start_clock(const Launch& launch, void** arguments) {
  const int device = stand_in::current_device();
  stand_in::run_on(launch.stream, "start_clock", [=, begin = *static_cast<Clock**>(arguments[0])] {
    *There(device).writes(begin, 1, "the time of the begin") = nanoseconds();
    finish(device);
  });
}

void stop_clock(const Launch& launch, void** arguments) {
  const int device = stand_in::current_device();
  stand_in::run_on(launch.stream, "stop_clock",
                   [=, begin = *static_cast<const Clock**>(arguments[0]),
                    seconds = *static_cast<double**>(arguments[1])] {
                     There there(device);
                     const Clock began = *there.reads(begin, 1, "the time of the begin");
                     *there.writes(seconds, 1, "the seconds") =
                         espalier::internal::cuda::seconds_between(began, nanoseconds());
                     finish(device);
                   });
}

void start(const std::string& name, const Launch& launch, void** arguments) {
  namespace cuda = espalier::internal::cuda;
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("Scatters")) return run_lanes<cuda::Scatters>(launch, arguments, "Scatters");
  if (has("Scatter")) return run_lanes<cuda::Scatter>(launch, arguments, "Scatter");
  if (has("Zeros")) return run_lanes<cuda::Zeros>(launch, arguments, "Zeros");
  if (has("PivotColumns")) return run_lanes<cuda::PivotColumns>(launch, arguments, "PivotColumns");
  if (has("PivotOutcome")) return run_lanes<cuda::PivotOutcome>(launch, arguments, "PivotOutcome");
  if (has("Outcome")) return run_lanes<cuda::Outcome>(launch, arguments, "Outcome");
  if (has("SignedCopy")) return run_lanes<cuda::SignedCopy>(launch, arguments, "SignedCopy");
  if (has("start_clock")) return start_clock(launch, arguments);
  if (has("stop_clock")) return stop_clock(launch, arguments);
  stand_in::misuse("the stand-in does not know the kernel " + name);
}

bool is_possible(dim3 grid, dim3 block) {
  constexpr unsigned most_threads = 1024;
  constexpr unsigned most_blocks = 0x7fffffff;
  return grid.x > 0 && grid.x <= most_blocks && block.x > 0 && block.x <= most_threads &&
         grid.y * grid.z * block.y * block.z == 1;
}

cudaError_t launch_kernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                          cudaStream_t stream) {
  const stand_in::Call call("the start of a kernel");
  if (call.error) return call.error;
  if (!is_possible(grid, block)) return stand_in::failed(cudaErrorInvalidConfiguration);
  start(names().at(kernel), {grid, block, stream}, arguments);
  return cudaSuccess;
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
  return launch_kernel(kernel, grid, block, arguments, stream);
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t /*shared*/, cudaStream_t stream) {
  return launch_kernel(kernel, grid, block, arguments, stream);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
