// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <cstddef>
#include <memory>
#include <span>

#include "codelets/payload/task_payload.hpp"

namespace espalier::internal::cuda {

/// Calls the function for an object of CUDA, at the end of whoever owns that.
template <auto function>
struct Ending {
  template <class T>
  void operator()(T* object) const {
    function(object);
  }
};
template <class T>
using OnDevice = std::unique_ptr<T[], Ending<cudaFree>>;
template <class T>
using Pinned = std::unique_ptr<T[], Ending<cudaFreeHost>>;

/// What a CUDA worker needs beside the message and the data of its tasks: handles of the libraries
/// on the worker's stream, scratch memory, and room for what travels to and from a task. Allocated
/// before any task runs; for the device that is the current one of the thread.
///
/// Several tasks may be on their way at once, but no more than `most_under_way`: a task has its
/// room until so many others have begun after it.
class DeviceContext {
 public:
  explicit DeviceContext(cudaStream_t stream);

  /// Begins a task with this message, which lasts as long; the device has it already, `there`,
  /// unless that is null. Where the task is timed the device's clock says what it takes.
  void begin(std::span<const Index> message, const Index* there, bool timed);
  /// Ends it: once the stream comes here, the seconds are in front of result(), or that there are
  /// none.
  void end();

  /// Returns where the device has a list of the message of the task; null where it is empty. The
  /// message goes to the device when it is first asked for.
  const Index* there(std::span<const Index> list);
  /// Brings a list to the device and says where it is, for the task; all lists of a task together
  /// have `bytes_of_lists` at most.
  const void* bring(const void* list, std::size_t bytes);
  static constexpr std::size_t bytes_of_lists = sizeof(double*) * 3 * most_targets;

  /// Returns memory of the host that the device writes: the seconds, then a diagonal.
  double* result() const { return results_.get() + slot_ * entries_of_slot; }

  /// Returns CUDA's number of the device.
  Index device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_.get(); }
  cusolverDnHandle_t solver() const { return solver_.get(); }
  /// Returns memory of the device that is free between two calls of the libraries or kernels of
  /// one task.
  std::span<double> scratch() const { return {scratch_.get(), scratch_entries_}; }
  /// Returns memory of the device for cuSOLVER.
  int* info() const { return info_.get(); }

 private:
  static constexpr Count most_under_way = 8;  ///< StarPU: at most 4 in a worker's pipeline
  static constexpr Count words_of_slot = largest_payload / static_cast<Count>(sizeof(Index));
  static constexpr Count entries_of_slot = largest_payload / static_cast<Count>(sizeof(double));

  Index device_;
  cudaStream_t stream_;
  std::unique_ptr<cublasContext, Ending<cublasDestroy>> blas_;
  std::unique_ptr<cusolverDnContext, Ending<cusolverDnDestroy>> solver_;
  std::size_t scratch_entries_;
  OnDevice<double> scratch_;
  OnDevice<int> info_;
  OnDevice<unsigned long long> begin_;
  Pinned<Index> messages_;
  OnDevice<Index> messages_there_;
  Pinned<double> results_;
  Pinned<std::byte> lists_;
  OnDevice<std::byte> lists_there_;
  std::size_t brought_ = 0;  ///< bytes of the task's lists so far
  Count slot_ = 0;
  std::span<const Index> message_;  ///< the message of the task at hand
  const Index* there_ = nullptr;    ///< where the device has it, if it does
  bool timed_ = false;              ///< whether the device's clock runs for the task
};

}  // namespace espalier::internal::cuda
