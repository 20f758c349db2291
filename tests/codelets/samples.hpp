// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "base/dense.hpp"
#include "codelets/context.hpp"

namespace espalier::internal::support {

/// A dense matrix with a larger leading dimension. Unused memory is NaN: the gaps between columns
/// and, on request, the upper triangle. So a read of unused memory spoils the result of a kernel,
/// and guards_intact() detects a write.
class DenseSample {
 public:
  DenseSample(Index rows, Index columns, Index gap = 3)
      : rows_(rows),
        columns_(columns),
        ld_(rows + gap),
        memory_(static_cast<std::size_t>(ld_) * columns, nan()) {}

  static DenseSample random(Index rows, Index columns, std::uint64_t seed) {
    DenseSample sample(rows, columns);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) sample(i, j) = uniform(generator);
    }
    return sample;
  }

  /// Returns a matrix that is random below its dominant diagonal, and NaN above.
  static DenseSample dominant_lower(Index n, std::uint64_t seed) {
    DenseSample sample = random(n, n, seed);
    for (Index j = 0; j < n; ++j) sample(j, j) = n + 1;
    sample.hide_upper();
    return sample;
  }

  double& operator()(Index i, Index j) { return memory_[i + j * ld_]; }
  double operator()(Index i, Index j) const { return memory_[i + j * ld_]; }
  MatrixView view() { return {memory_.data(), rows_, columns_, ld_}; }
  ConstMatrixView view() const { return {memory_.data(), rows_, columns_, ld_}; }

  void hide_upper() {
    for (Index j = 1; j < columns_; ++j) {
      for (Index i = 0; i < std::min(j, rows_); ++i) (*this)(i, j) = nan();
    }
  }
  bool upper_hidden() const {
    for (Index j = 1; j < columns_; ++j) {
      for (Index i = 0; i < std::min(j, rows_); ++i) {
        if (!std::isnan((*this)(i, j))) return false;
      }
    }
    return true;
  }
  bool same_bits(const DenseSample& other) const {
    return memory_.size() == other.memory_.size() &&
           std::memcmp(memory_.data(), other.memory_.data(), memory_.size() * sizeof(double)) == 0;
  }
  bool guards_intact() const {
    for (Index j = 0; j < columns_; ++j) {
      for (Count i = rows_; i < ld_; ++i) {
        if (!std::isnan(memory_[i + j * ld_])) return false;
      }
    }
    return true;
  }

 private:
  static double nan() { return std::numeric_limits<double>::quiet_NaN(); }

  Index rows_;
  Index columns_;
  Count ld_;
  std::vector<double> memory_;
};

/// Sizes around those of registers, tiles and the thresholds of kernels.
inline constexpr Index awkward_sizes[] = {0,  1,  2,  3,  7,  8,   9,   24,
                                          31, 33, 48, 64, 65, 129, 255, 257};

/// Returns scratch space of update_buffer_entries entries, set to NaN. All calls return the same
/// memory, because a new megabyte takes longer than a test case.
inline std::span<double> fresh_buffer() {
  static std::vector<double> buffer(update_buffer_entries);
  std::fill(buffer.begin(), buffer.end(), std::numeric_limits<double>::quiet_NaN());
  return buffer;
}

/// A worker with a workspace for structures of up to n rows.
struct SampleWorker {
  Workspace workspace;
  Worker worker{reference::kernels, workspace};

  explicit SampleWorker(Index n) {
    workspace.buffer = Buffer(update_buffer_entries);
    workspace.position.resize(n, -1);
    workspace.row_map.resize(n, -1);
    workspace.column_map.resize(n, -1);
  }
  SampleWorker(const SampleWorker&) = delete;
  SampleWorker& operator=(const SampleWorker&) = delete;
};

/// Runs a task as `size` workers would run it together, the last worker first.
template <class Task>
void run_in_slices(const Task& task, TaskData data, Worker worker, Index size) {
  for (Index rank = size; rank-- > 0;) {
    worker.slice = {rank, size};
    task.run(data, worker);
  }
}

}  // namespace espalier::internal::support
