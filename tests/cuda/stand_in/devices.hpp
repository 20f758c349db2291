// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <driver_types.h>

#include <cstddef>

/// The devices of the stand-in, their memory as a number of bytes, and how they fail. A failure
/// that an asynchronous piece of work meets is there for all that a device is asked for from then
/// on.
namespace stand_in {

/// Returns how many devices this process sees.
int devices();
/// Returns the number that this device has where all are seen.
int number_of_machine(int device);
/// Bytes of each device.
std::size_t bytes_of_device();
/// Bytes that are free there.
std::size_t bytes_left(int device);
/// Takes bytes of a device; false where there are too few.
bool take_bytes(int device, std::size_t bytes);
void give_bytes(int device, std::size_t bytes);

/// The device of this thread's calls.
int current_device();
void set_current_device(int device);
/// Ends the context of this thread's device, for which nothing is under way.
void forget_context();

/// Whether this call of the function is to fail: STAND_IN_FAILS is "FUNCTION:CALLS", a function
/// that succeeds so many times and then no more, or "FUNCTION:CALLS:once", which fails once.
/// "kernel" and "copy" stand for work on streams of this kind.
bool fails(const char* function);

/// Begins a call of the runtime library that needs the device of the thread to be alive, and makes
/// a context there. Returns why it fails, which becomes the last error of the thread.
cudaError_t begin_call(const char* function);
/// Returns the error, which becomes the last one of the thread.
cudaError_t failed(cudaError_t error);
/// The last error of the thread. Taking it leaves only those that stay for ever.
cudaError_t last_error();
cudaError_t take_last_error();

/// Returns cudaSuccess, or what a device answers for ever.
cudaError_t fate_of(int device);
/// Lets a device fail for ever.
void fail_for_ever(int device, cudaError_t error);

/// Counts what the process did, for whoever wants to know at its end (STAND_IN_REPORT, a folder).
struct Counts {
  long kernels = 0;
  long calls_of_libraries = 0;
  long copies = 0;
  long pageable_copies = 0;   ///< asynchronous ones with memory of the host that is not pinned
  long pageable_bytes = 0;    ///< the most bytes of one of them
  long bytes_to_devices = 0;  ///< bytes that cudaMemcpyAsync brought from the host
};

namespace counting {
void lock();
Counts& counts();
void unlock();
}  // namespace counting

/// Changes them under a lock.
template <class F>
void count(F change) {
  counting::lock();
  change(counting::counts());
  counting::unlock();
}

}  // namespace stand_in
