// SPDX-License-Identifier: BSD-3-Clause
// CUDA's runtime library on the host, for machines without a device: the functions that StarPU and
// Espalier call. It is loaded by LD_PRELOAD. tests/cuda/README.md lists its checks and variables.
#include <cuda_runtime.h>

#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "cuda/stand_in/call.hpp"
#include "cuda/stand_in/memory.hpp"
#include "cuda/stand_in/order.hpp"
#include "cuda/stand_in/settings.hpp"
#include "cuda/stand_in/stream.hpp"

using stand_in::Call;

struct CUevent_st {
  const int device = stand_in::current_device();
  stand_in::Stream stream{};
  long after = 0;  ///< number of jobs of the stream before the event
};

namespace {

/// Returns the error of the device, if it has failed. A wait also ends if the device fails.
cudaError_t outcome_of(int device) {
  const cudaError_t fate = stand_in::fate_of(device);
  return fate == cudaSuccess ? cudaSuccess : stand_in::failed(fate);
}

std::mutex of_events;

std::set<cudaEvent_t>& events() {
  static auto* const made = new std::set<cudaEvent_t>;
  return *made;
}

void expect_event(cudaEvent_t event) {
  const std::lock_guard lock(of_events);
  if (events().count(event) == 0) stand_in::misuse("the event does not exist, or no longer exists");
}

}  // namespace

extern "C" {

// NOLINTNEXTLINE(readability-identifier-naming): the name is Open MPI's
int MPIX_Query_cuda_support() { return stand_in::number("STAND_IN_MPI", 0) != 0; }

cudaError_t cudaDriverGetVersion(int* version) {
  *version = static_cast<int>(stand_in::number("STAND_IN_DRIVER", CUDART_VERSION));
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  int version = 0;
  cudaDriverGetVersion(&version);
  if (version < CUDART_VERSION) return stand_in::failed(cudaErrorInsufficientDriver);
  *count = stand_in::devices();
  return *count > 0 ? cudaSuccess : stand_in::failed(cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= stand_in::devices()) return stand_in::failed(cudaErrorInvalidDevice);
  stand_in::set_current_device(device);
  return Call("cudaSetDevice").error;
}
cudaError_t cudaDeviceReset() {
  stand_in::forget_context();
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const Call call("cudaDeviceSynchronize");
  if (call.error) return call.error;
  stand_in::wait_for_all(stand_in::current_device());
  return outcome_of(stand_in::current_device());
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned /*flags*/) {
  const Call call("cudaDeviceEnablePeerAccess");
  if (call.error) return call.error;
  stand_in::allow_peer(stand_in::current_device(), peer);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  if (device < 0 || device >= stand_in::devices()) return stand_in::failed(cudaErrorInvalidDevice);
  const int number = stand_in::number_of_machine(device);
  std::strcpy(properties->name, "stand-in");
  std::memcpy(properties->uuid.bytes, &number, sizeof number);
  properties->totalGlobalMem = stand_in::bytes_of_device();
  properties->major = 9;
  properties->multiProcessorCount = 1;
  properties->concurrentKernels = 1;
  properties->pciBusID = number;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = stand_in::current_device();
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return stand_in::take_last_error(); }
cudaError_t cudaPeekAtLastError() { return stand_in::last_error(); }
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation: return "out of memory (stand-in)";
    case cudaErrorIllegalAddress: return "an illegal memory access (stand-in)";
    case cudaErrorDevicesUnavailable: return "all devices are busy or unavailable (stand-in)";
    default: return "error of the stand-in";
  }
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const Call call("cudaMalloc");
  if (call.error) return call.error;
  *memory = nullptr;
  if (bytes == 0) return cudaSuccess;
  const int device = stand_in::current_device();
  if (!stand_in::take_bytes(device, bytes)) return stand_in::failed(cudaErrorMemoryAllocation);
  *memory = stand_in::allocate_on_device(device, bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  const Call call("cudaFree");
  if (call.error || memory == nullptr) return call.error;
  stand_in::wait_for_all(stand_in::device_of(memory));
  stand_in::Freed freed;
  if (!stand_in::free_on_device(memory, freed)) {
    stand_in::misuse("this is not memory of a device, or it is already freed");
  }
  stand_in::forget(memory, freed.bytes);
  stand_in::give_bytes(freed.device, freed.bytes);
  return outcome_of(freed.device);
}
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* total) {
  const Call call("cudaMemGetInfo");
  if (call.error) return call.error;
  *total = stand_in::bytes_of_device();
  *left = stand_in::bytes_left(stand_in::current_device());
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  const Call call("cudaHostAlloc");
  if (call.error) return call.error;
  *memory = stand_in::allocate_pinned(bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  const Call call("cudaFreeHost");
  if (call.error || memory == nullptr) return call.error;
  if (!stand_in::free_pinned(memory)) {
    stand_in::misuse("CUDA has not allocated this memory of the host, or it is freed already");
  }
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned /*flags*/) {
  const Call call("cudaHostRegister");
  if (call.error) return call.error;
  if (bytes == 0) stand_in::misuse("the memory to pin is empty");
  if (stand_in::kind_of(memory) == stand_in::Kind::device) {
    stand_in::misuse("this is not memory of the host");
  }
  if (stand_in::pin(memory, bytes)) return cudaSuccess;
  return stand_in::failed(cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void* memory) {
  const Call call("cudaHostUnregister");
  if (call.error) return call.error;
  return stand_in::unpin(memory) ? cudaSuccess : stand_in::failed(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned /*flags*/) {
  const Call call("cudaHostGetDevicePointer");
  if (call.error) return call.error;
  if (!stand_in::is_pinned(here, 1)) return stand_in::failed(cudaErrorInvalidValue);
  *there = here;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  *attributes = {};
  switch (stand_in::kind_of(memory)) {
    case stand_in::Kind::device:
      attributes->type = cudaMemoryTypeDevice;
      attributes->device = stand_in::device_of(memory);
      break;
    case stand_in::Kind::pinned: attributes->type = cudaMemoryTypeHost; break;
    case stand_in::Kind::pageable: break;
  }
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Call call("cudaStreamCreateWithFlags");
  if (call.error) return call.error;
  *stream = stand_in::make_stream((flags & cudaStreamNonBlocking) == 0);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Call call("cudaStreamDestroy");
  if (!stand_in::end_stream(stream))
    stand_in::misuse("the stream does not exist, or no longer exists");
  return call.error;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Call call("cudaStreamSynchronize");
  if (call.error) return call.error;
  if (stream) {
    stand_in::stream_of(stream)->wait();
  } else {
    stand_in::run_on(nullptr, "cudaStreamSynchronize", [] {});
  }
  return outcome_of(stand_in::current_device());
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  const Call call("cudaEventCreateWithFlags");
  if (call.error) return call.error;
  *event = new CUevent_st;
  const std::lock_guard lock(of_events);
  events().insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Call call("cudaEventDestroy");
  expect_event(event);
  const std::lock_guard lock(of_events);
  events().erase(event);
  delete event;
  return call.error;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const Call call("cudaEventRecord");
  if (call.error) return call.error;
  expect_event(event);
  if (stream == nullptr)
    stand_in::misuse("the stand-in does not support events on the default stream");
  event->stream = stand_in::stream_of(stream);
  if (event->device != event->stream->device) {
    stand_in::misuse("the event is one of device " + std::to_string(event->device) +
                     ", the stream is not");
  }
  event->after = event->stream->given();
  return cudaSuccess;
}
/// cudaErrorNotReady does not become the last error of the thread.
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Call call("cudaEventQuery");
  expect_event(event);
  if (const cudaError_t fate = outcome_of(event->device)) return fate;
  if (call.error) return call.error;
  const bool done = !event->stream || event->stream->has_done(event->after);
  return done ? outcome_of(event->device) : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Call call("cudaEventSynchronize");
  if (call.error) return call.error;
  expect_event(event);
  if (event->stream) event->stream->wait_for(event->after);
  return outcome_of(event->device);
}
}
