// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::internal::support {

/// Numbers of a test that StarPU knows as a vector while this object lives.
class Vector {
 public:
  explicit Vector(std::vector<double> entries) : entries_(std::move(entries)) {
    starpu_vector_data_register(&handle_, STARPU_MAIN_RAM,
                                reinterpret_cast<std::uintptr_t>(entries_.data()),
                                static_cast<std::uint32_t>(entries_.size()), sizeof(double));
  }
  ~Vector() { starpu_data_unregister(handle_); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  starpu_data_handle_t handle() const { return handle_; }
  std::size_t size() const { return entries_.size(); }
  /// Waits for all tasks on the vector, and returns its entries.
  const std::vector<double>& wait() const {
    starpu_data_acquire(handle_, STARPU_R);
    starpu_data_release(handle_);
    return entries_;
  }

 private:
  std::vector<double> entries_;
  starpu_data_handle_t handle_ = nullptr;
};

}  // namespace espalier::internal::support
