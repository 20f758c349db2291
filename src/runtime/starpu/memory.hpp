// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <span>
#include <vector>

#include "base/dense.hpp"

namespace espalier::internal {

/// The source of the memory of a view that has none: it is told later (Messenger), or StarPU
/// allocates it where a task writes the data first.
enum class MissingMemory { told_later, starpu };

/// StarPU handles for pieces of main memory; a null one where a view has no rows. They are
/// registered at construction and unregistered, after the last task on them, at destruction. StarPU
/// must run during both.
class Handles {
 public:
  Handles() = default;
  explicit Handles(std::span<const MatrixView> data,
                   MissingMemory missing = MissingMemory::told_later);
  ~Handles();
  Handles(Handles&& other) noexcept : handles_(std::move(other.handles_)) {
    other.handles_.clear();
  }
  Handles& operator=(Handles&& other) noexcept {
    handles_.swap(other.handles_);
    return *this;
  }

  /// Adds handles for more pieces.
  void append(std::span<const MatrixView> data, MissingMemory missing);

  std::span<const starpu_data_handle_t> all() const { return handles_; }

 private:
  std::vector<starpu_data_handle_t> handles_;
};

/// Returns both lists as one, for tasks on the data of both.
std::vector<starpu_data_handle_t> together(std::span<const starpu_data_handle_t> first,
                                           std::span<const starpu_data_handle_t> second);

/// Keeps memory where it is, for the time of this object, so that devices copy from and to it
/// without the processor. StarPU runs when one is made and when it ends. Where the system refuses,
/// copies are slower.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::span<double> memory);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

 private:
  std::span<double> memory_;
  bool pinned_;
};

}  // namespace espalier::internal
