// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cuda/device_context.hpp"

#include <algorithm>
#include <cstring>

#include "codelets/cuda/check.hpp"
#include "codelets/cuda/kernels.hpp"

namespace espalier::internal::cuda {

namespace {

/// Minimum scratch memory, in entries (64 MiB): a panel of 512 columns and 16384 rows. A product
/// that lists more rows does not run on devices, because its message would be too long.
constexpr std::size_t least_scratch = std::size_t{1} << 23;
/// Maximum number of columns of D: the result of an accelerator cannot hold a longer diagonal.
constexpr int widest_diagonal = largest_payload / sizeof(double);

template <class T>
OnDevice<T> on_device(std::size_t count) {
  T* memory = nullptr;
  expect_success(cudaMalloc(&memory, count * sizeof(T)), "allocating its memory");
  return OnDevice<T>(memory);
}

template <class T>
Pinned<T> pinned(std::size_t count) {
  T* memory = nullptr;
  expect_success(cudaMallocHost(&memory, count * sizeof(T)), "allocating memory of the host");
  return Pinned<T>(memory);
}

Index current_device() {
  int device = 0;
  expect_success(cudaGetDevice(&device), "telling which it is");
  return device;
}

cublasHandle_t blas_on(cudaStream_t stream) {
  cublasHandle_t handle = nullptr;
  expect_success(cublasCreate(&handle), "starting cuBLAS");
  expect_success(cublasSetStream(handle, stream), "giving cuBLAS a stream");
  return handle;
}

cusolverDnHandle_t solver_on(cudaStream_t stream) {
  cusolverDnHandle_t handle = nullptr;
  expect_success(cusolverDnCreate(&handle), "starting cuSOLVER");
  expect_success(cusolverDnSetStream(handle, stream), "giving cuSOLVER a stream");
  return handle;
}

std::size_t scratch_for(cusolverDnHandle_t solver) {
  int entries = 0;
  expect_success(cusolverDnDpotrf_bufferSize(solver, CUBLAS_FILL_MODE_LOWER, widest_diagonal,
                                             nullptr, widest_diagonal, &entries),
                 "asking cuSOLVER for its needs");
  return std::max(least_scratch, static_cast<std::size_t>(entries));
}

}  // namespace

DeviceContext::DeviceContext(cudaStream_t stream)
    : device_(current_device()),
      stream_(stream),
      blas_(blas_on(stream)),
      solver_(solver_on(stream)),
      scratch_entries_(scratch_for(solver_.get())),
      scratch_(on_device<double>(scratch_entries_)),
      info_(on_device<int>(1)),
      begin_(on_device<unsigned long long>(1)),
      messages_(pinned<Index>(most_under_way * words_of_slot)),
      messages_there_(on_device<Index>(most_under_way * words_of_slot)),
      results_(pinned<double>(most_under_way * entries_of_slot)),
      lists_(pinned<std::byte>(most_under_way * bytes_of_lists)),
      lists_there_(on_device<std::byte>(most_under_way * bytes_of_lists)) {}

void DeviceContext::begin(std::span<const Index> message, const Index* there, bool timed) {
  slot_ = (slot_ + 1) % most_under_way;
  brought_ = 0;
  message_ = message;
  there_ = there;
  timed_ = timed;
  *result() = not_timed;
  if (timed) launch_start_of_clock(begin_.get(), stream_);
}

const void* DeviceContext::fetch(const void* list, std::size_t bytes) {
  const std::size_t place = static_cast<std::size_t>(slot_) * bytes_of_lists + brought_;
  brought_ += bytes;
  std::memcpy(lists_.get() + place, list, bytes);
  expect_success(cudaMemcpyAsync(lists_there_.get() + place, lists_.get() + place, bytes,
                                 cudaMemcpyHostToDevice, stream_),
                 "copying addresses to it");
  return lists_there_.get() + place;
}

void DeviceContext::end() {
  if (timed_) launch_stop_of_clock(begin_.get(), result(), stream_);
}

const Index* DeviceContext::there(std::span<const Index> list) {
  if (list.empty()) return nullptr;
  if (there_ == nullptr) {
    Index* const here = messages_.get() + slot_ * words_of_slot;
    Index* const place = messages_there_.get() + slot_ * words_of_slot;
    std::ranges::copy(message_, here);
    expect_success(
        cudaMemcpyAsync(place, here, message_.size_bytes(), cudaMemcpyHostToDevice, stream_),
        "copying a message to it");
    there_ = place;
  }
  return there_ + (list.data() - message_.data());
}

}  // namespace espalier::internal::cuda
