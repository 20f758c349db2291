// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <cstdint>
#include <future>
#include <span>
#include <vector>

#include "base/dense.hpp"
#include "espalier/types.hpp"
#include "plan/plan.hpp"

namespace espalier::internal {

/// The source of the memory of a view that has none: a transfer engine lends it, or StarPU
/// allocates it where a task writes the data first.
enum class MissingMemory { told_later, starpu };

/// The sizes by which StarPU knows a matrix. They have 32 bits, and StarPU 1.4 multiplies rows and
/// columns in 32 bits, too. So a larger matrix whose columns follow one another is one column to
/// it, of elements that are as long as all columns.
struct StarpuMatrix {
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t ld;
  std::size_t element;  ///< bytes

  /// Throws UsageError for a matrix of 2^32 entries or more whose columns do not follow one
  /// another.
  explicit StarpuMatrix(const DataView& view);
};

/// StarPU handles for pieces of main memory; a null one where a view has no rows. They are
/// registered at construction and unregistered, after the last task on them, at destruction, which
/// copies nothing: what a device alone has is lost, since workers that could bring it may sleep.
/// StarPU must run during both.
class Handles {
 public:
  Handles() = default;
  /// Throws UsageError for a piece that is too large for StarPU.
  explicit Handles(std::span<const DataView> data,
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
  void append(std::span<const DataView> data, MissingMemory missing);

  std::span<const starpu_data_handle_t> all() const { return handles_; }

 private:
  std::vector<starpu_data_handle_t> handles_;
};

/// Returns both lists as one, for tasks on the data of both.
std::vector<starpu_data_handle_t> together(std::span<const starpu_data_handle_t> first,
                                           std::span<const starpu_data_handle_t> second);

/// Returns the bytes that this build takes for a plan beyond what predictions know: the libraries
/// of CUDA and its driver where StarPU runs on a device, and what StarPU has of each piece of data
/// where it is built for more memories than Debian's is.
Count bytes_of_build(const FactorPlan& plan);

/// Returns the bytes that StarPU has for so many pieces of data, without the data.
Count bytes_of_handles(Count handles);

/// Returns the address of the data in main memory, null where none is lent.
void* memory_of(starpu_data_handle_t data);
/// Returns the bytes of all entries. Another thread may set the memory meanwhile.
Count bytes_of(starpu_data_handle_t data);
/// Lends memory to data, or takes it back where it is null. To StarPU the place of data that come
/// and go is in main memory all the time; whoever calls this has acquired them to write, so that
/// nobody else uses them.
void set_memory(starpu_data_handle_t data, void* memory);

/// Keeps memory where it is, for the time of this object, so that devices copy from and to it
/// without the processor. For each GiB that was not touched yet a thread of the system needs some
/// tenths of a second, and CUDA hundredths then, which pass beside the thread that makes the
/// object. StarPU runs, with CUDA workers, when one is made and when it ends. Where the system
/// refuses, copies are slower.
class PinnedMemory {
 public:
  /// Parts with little between them are pinned as one; so many threads touch them before.
  explicit PinnedMemory(std::vector<std::span<double>> parts, Index threads = 1);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  /// Waits until all is pinned. Throws RuntimeFailure where a device has failed.
  void wait();

 private:
  std::vector<std::span<double>> parts_;  ///< those that are pinned, once that is done
  std::future<void> pinning_;
};

/// Returns the parts, which ascend, with those as one that have so few bytes between them that a
/// call for each would take as long as pinning these. No two of them share a page.
std::vector<std::span<double>> joined_parts(std::span<const std::span<double>> parts);

}  // namespace espalier::internal
