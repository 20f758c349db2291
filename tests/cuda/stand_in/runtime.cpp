// SPDX-License-Identifier: BSD-3-Clause
// CUDA's runtime library on the host, as far as StarPU and Espalier call it, for machines without a
// device: loaded by LD_PRELOAD. STAND_IN_DEVICES and STAND_IN_BYTES say how many devices there are
// and how much memory each has, STAND_IN_TAKEN how much of it other processes have, STAND_IN_FAILS
// which function fails, and when (runtime.hpp). STAND_IN_MPI says whether MPI knows the memory of
// devices: here it does, because that is memory like any other.

#include "cuda/stand_in/runtime.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace stand_in {

bool fails(const char* function) {
  static const char* const variable = std::getenv("STAND_IN_FAILS");
  static const std::string chosen = variable ? variable : ":";
  static const std::size_t colon = chosen.find(':');
  static std::atomic<long> left = std::atol(chosen.c_str() + colon + 1);
  return chosen.compare(0, colon, function) == 0 && --left < 0;
}

namespace {

std::size_t number(const char* variable, std::size_t otherwise) {
  const char* const value = std::getenv(variable);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

struct Machine {
  std::mutex mutex;
  /// Shared with who waits for all of them while another thread destroys one.
  std::map<CUstream_st*, std::shared_ptr<CUstream_st>> streams;
  std::map<void*, std::pair<int, std::size_t>> memory;  ///< device and size of each piece
  std::map<int, std::size_t> used;
  const int devices = static_cast<int>(number("STAND_IN_DEVICES", 1));
  const std::size_t bytes = number("STAND_IN_BYTES", std::size_t{1} << 30);
  const std::size_t left = bytes - number("STAND_IN_TAKEN", 0);  ///< by other processes
};

/// Never destroyed: StarPU's threads may outlive main().
Machine& machine() {
  static auto* const made = new Machine;
  return *made;
}

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

void wait_for_all() {
  std::map<CUstream_st*, std::shared_ptr<CUstream_st>> streams;
  {
    const std::lock_guard lock(machine().mutex);
    streams = machine().streams;
  }
  for (const auto& [handle, stream] : streams) stream->wait();
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  run_on(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaStream_t stream) {
  run_on(stream, [=] {
    for (std::size_t i = 0; i < height; ++i) {
      std::memcpy(static_cast<char*>(to) + i * to_pitch,
                  static_cast<const char*>(from) + i * from_pitch, width);
    }
  });
  return cudaSuccess;
}

}  // namespace

void run_on(CUstream_st* stream, std::function<void()> job) {
  if (stream != nullptr) return stream->enqueue(std::move(job));
  wait_for_all();
  job();
}

}  // namespace stand_in

struct CUevent_st {
  CUstream_st* stream = nullptr;
  long after = 0;  ///< jobs of the stream
};

using stand_in::copy;
using stand_in::copy_2d;
using stand_in::machine;

extern "C" {

int MPIX_Query_cuda_support() { return stand_in::number("STAND_IN_MPI", 0) != 0; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = machine().devices;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaSetDevice(int device) {
  stand_in::current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() {
  stand_in::wait_for_all();
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int /*device*/, int /*peer*/) {
  *can = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  std::strcpy(properties->name, "stand-in");
  properties->totalGlobalMem = machine().bytes;
  properties->major = 9;
  properties->multiProcessorCount = 1;
  properties->pciBusID = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = stand_in::current_device;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(stand_in::last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return stand_in::last_error; }
const char* cudaGetErrorString(cudaError_t /*error*/) { return "error of the stand-in"; }

/// Filled with numbers that are none.
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  auto& m = machine();
  const std::lock_guard lock(m.mutex);
  const int device = stand_in::current_device;
  if (m.used[device] + bytes > m.left) return cudaErrorMemoryAllocation;
  *memory = std::malloc(bytes);
  std::memset(*memory, 0xff, bytes);
  m.used[device] += bytes;
  m.memory[*memory] = {device, bytes};
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  stand_in::wait_for_all();
  auto& m = machine();
  const std::lock_guard lock(m.mutex);
  const auto found = m.memory.find(memory);
  if (found == m.memory.end()) return memory ? cudaErrorInvalidValue : cudaSuccess;
  m.used[found->second.first] -= found->second.second;
  m.memory.erase(found);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* total) {
  auto& m = machine();
  const std::lock_guard lock(m.mutex);
  *total = m.bytes;
  *left = m.left - m.used[stand_in::current_device];
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  *memory = std::malloc(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* /*memory*/, std::size_t /*bytes*/, unsigned /*flags*/) {
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* /*memory*/) { return cudaSuccess; }
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned /*flags*/) {
  *there = here;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* /*memory*/) {
  *attributes = {};
  return cudaSuccess;
}

cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  stand_in::run_on(nullptr, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/) {
  return copy(to, from, bytes, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
  return copy(to, from, bytes, stream);
}
cudaError_t cudaMemcpyPeer(void* to, int /*there*/, const void* from, int /*here*/,
                           std::size_t bytes) {
  return copy(to, from, bytes, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int /*there*/, const void* from, int /*here*/,
                                std::size_t bytes, cudaStream_t stream) {
  return copy(to, from, bytes, stream);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind /*kind*/) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind /*kind*/, cudaStream_t stream) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, stream);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  return copy_2d(p->dstPtr.ptr, p->dstPtr.pitch, p->srcPtr.ptr, p->srcPtr.pitch, p->extent.width,
                 p->extent.height * p->extent.depth, stream);
}
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  return cudaMemcpy3DPeerAsync(p, nullptr);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  auto made = std::make_shared<CUstream_st>();
  *stream = made.get();
  const std::lock_guard lock(machine().mutex);
  machine().streams.emplace(*stream, std::move(made));
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  std::unique_lock lock(machine().mutex);
  const auto ending = machine().streams.extract(stream);
  lock.unlock();
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream) stream->wait();
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (stand_in::fails("cudaEventRecord")) return stand_in::last_error = cudaErrorIllegalAddress;
  event->stream = stream;
  event->after = stream ? stream->given() : 0;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const bool done = !event->stream || event->stream->has_done(event->after);
  return done ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->stream) event->stream->wait_for(event->after);
  return cudaSuccess;
}
}
