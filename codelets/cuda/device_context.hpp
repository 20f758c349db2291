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

/// Deleter that calls the function of CUDA or its libraries that frees the object.
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

/// Data of a CUDA worker in addition to the message and the data of its tasks: handles of the
/// libraries on the worker's stream, scratch memory, and buffers for the messages and results of
/// tasks. Allocated before any task runs, on the current device of the thread.
///
/// Several tasks may be pending at once, but at most `most_under_way`. A task keeps its part of the
/// buffers until this many other tasks have begun.
class DeviceContext {
 public:
  explicit DeviceContext(cudaStream_t stream);

  /// Begins a task with this message, which must live as long as the task. `there` is the device's
  /// copy of the message, or null if it has none. If `timed`, the device's clock measures the task.
  void begin(std::span<const Index> message, const Index* there, bool timed);
  /// Ends the task. When the stream reaches this point, the seconds are at the start of result(),
  /// or `not_timed`.
  void end();

  /// Returns the device's copy of a list in the task's message, or null if the list is empty. The
  /// first call copies the message to the device if necessary.
  const Index* there(std::span<const Index> list);
  /// Copies a list to the device and returns its address there, which is valid for the task. All
  /// lists of a task together have at most `bytes_of_lists`.
  const void* fetch(const void* list, std::size_t bytes);
  static constexpr std::size_t bytes_of_lists = sizeof(double*) * 3 * most_targets;

  /// Returns memory of the host that the device writes: the seconds, followed by a diagonal.
  double* result() const { return results_.get() + slot_ * entries_of_slot; }

  /// Returns CUDA's number of the device.
  Index device() const { return device_; }
  cudaStream_t stream() const { return stream_; }
  cublasHandle_t blas() const { return blas_.get(); }
  cusolverDnHandle_t solver() const { return solver_.get(); }
  /// Returns scratch memory of the device, for the calls of libraries and kernels in one task.
  std::span<double> scratch() const { return {scratch_.get(), scratch_entries_}; }
  /// Returns memory of the device for the status of cuSOLVER.
  int* info() const { return info_.get(); }

 private:
  /// Maximum number of pending tasks. StarPU's pipeline of a worker has at most 4.
  static constexpr Count most_under_way = 8;
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
  std::span<const Index> message_;  ///< message of the current task
  const Index* there_ = nullptr;    ///< the device's copy of it, or null
  bool timed_ = false;              ///< whether the device's clock measures the task
};

}  // namespace espalier::internal::cuda
