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

/// Source of memory for a view that has none yet. `lent_later`: a transfer engine lends it.
/// `starpu`: StarPU allocates it on the memory node where a task first writes the data.
enum class MissingMemory { lent_later, starpu };

/// Sizes of a matrix for StarPU, in 32 bits. StarPU 1.4 also multiplies rows and columns in 32
/// bits. If a matrix has 2^32 entries or more and contiguous columns, StarPU therefore gets a
/// single column with the same number of rows. One element of this column has the bytes of a whole
/// row.
struct StarpuMatrix {
  std::uint32_t rows;
  std::uint32_t columns;
  std::uint32_t ld;
  std::size_t element;  ///< bytes

  /// Throws UsageError if the matrix has 2^32 entries or more and its columns are not contiguous.
  explicit StarpuMatrix(const DataView& view);
};

/// StarPU handles for pieces of main memory. The handle is null if a view has no rows. The
/// constructor registers the pieces. The destructor waits for the last task on each piece and
/// unregisters the piece. It does not copy data to the host, because the workers that would copy
/// them may sleep. Data that only a device has are therefore lost. StarPU must run in the
/// constructor and in the destructor.
class Handles {
 public:
  Handles() = default;
  /// Throws UsageError if a piece is too large for StarPU.
  explicit Handles(std::span<const DataView> data,
                   MissingMemory missing = MissingMemory::lent_later);
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

/// Returns both lists joined, for tasks on the data of both.
std::vector<starpu_data_handle_t> together(std::span<const starpu_data_handle_t> first,
                                           std::span<const starpu_data_handle_t> second);

/// Returns the memory that a plan needs only because of this build, in bytes:
/// - the memory of CUDA's libraries if Espalier is built with CUDA;
/// - the memory of CUDA's driver if StarPU has CUDA workers;
/// - the additional memory of handles if StarPU is built for more than 8 memory nodes.
Count bytes_of_build(const FactorPlan& plan);

/// Returns the memory that StarPU uses for `handles` pieces of data, in bytes, without the data.
Count bytes_of_handles(Count handles);

/// Returns the address of the data in main memory, or null if the data have no memory there.
void* memory_of(starpu_data_handle_t data);
/// Returns the size of all entries in bytes. Another thread may set the memory during the call.
Count bytes_of(starpu_data_handle_t data);
/// Lends memory to data, or takes it back if `memory` is null. StarPU always regards the data as
/// present in main memory. The caller must have acquired them for writing, so that no other thread
/// uses them.
void set_memory(starpu_data_handle_t data, void* memory);

/// Pins memory during its lifetime, so that devices copy from and to it without the processor.
/// Pinning untouched memory takes some tenths of a second per GiB to touch it, and then hundredths
/// of a second in CUDA. A separate thread does this, in parallel with the caller. StarPU must run
/// with CUDA workers in the constructor and in the destructor. If the system refuses, copies are
/// slower.
class PinnedMemory {
 public:
  /// Joins parts with small gaps between them (see joined_parts()). `threads` threads touch the
  /// memory first.
  explicit PinnedMemory(std::vector<std::span<double>> parts, Index threads = 1);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  /// Waits until all memory is pinned. Throws RuntimeFailure if a device has failed.
  void wait();

 private:
  std::vector<std::span<double>> parts_;  ///< the parts that are pinned, after pinning has ended
  std::future<void> pinning_;
};

/// Returns the parts, which must ascend. Neighbouring parts are joined if separate calls would take
/// longer than pinning the gap between them. No two of the results share a page.
std::vector<std::span<double>> joined_parts(std::span<const std::span<double>> parts);

}  // namespace espalier::internal
