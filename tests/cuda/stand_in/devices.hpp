// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <driver_types.h>

#include <cstddef>

/// Devices of the stand-in, the sizes of their memory, and their failures. If an asynchronous job
/// fails, all later calls for its device fail, too.
namespace stand_in {

/// Returns the number of devices that this process sees.
int devices();
/// Returns the machine's number of this device.
int number_of_machine(int device);
/// Bytes of memory of each device.
std::size_t bytes_of_device();
/// Returns the free bytes of the device.
std::size_t bytes_left(int device);
/// Reserves bytes of a device. Returns false if it has too few.
bool take_bytes(int device, std::size_t bytes);
void give_bytes(int device, std::size_t bytes);

/// Device of the calls of this thread.
int current_device();
void set_current_device(int device);
/// Ends the context of this thread's device, which must be idle.
void forget_context();

/// Returns whether this call of the function must fail. STAND_IN_FAILS is "FUNCTION:CALLS" (the
/// function succeeds CALLS times and then always fails) or "FUNCTION:CALLS:once" (it fails once).
/// "kernel" and "copy" are the jobs of this kind on streams.
bool fails(const char* function);

/// Begins a call of the runtime library that needs the device of the thread to work, and makes a
/// context there. Returns the reason of a failure, which becomes the last error of the thread.
cudaError_t begin_call(const char* function);
/// Returns the error, which becomes the last one of the thread.
cudaError_t failed(cudaError_t error);
/// Last error of the thread. take_last_error() clears it unless it is permanent.
cudaError_t last_error();
cudaError_t take_last_error();

/// Returns cudaSuccess, or the permanent error of a device.
cudaError_t fate_of(int device);
/// Makes a device fail permanently.
void fail_for_ever(int device, cudaError_t error);

/// Counts of the work of the process, written at its end to the folder STAND_IN_REPORT.
struct Counts {
  long kernels = 0;
  long calls_of_libraries = 0;
  long copies = 0;
  long pageable_copies = 0;   ///< asynchronous copies with host memory that is not pinned
  long pageable_bytes = 0;    ///< maximum size of such a copy
  long bytes_to_devices = 0;  ///< bytes that cudaMemcpyAsync has copied from the host
};

namespace counting {
void lock();
Counts& counts();
void unlock();
}  // namespace counting

/// Changes the counts under a lock.
template <class F>
void count(F change) {
  counting::lock();
  change(counting::counts());
  counting::unlock();
}

}  // namespace stand_in
