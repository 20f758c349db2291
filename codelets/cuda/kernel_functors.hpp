// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <limits>

#include "base/dense.hpp"
#include "codelets/payload/message.hpp"
#include "espalier/types.hpp"

namespace espalier::internal::cuda {

/// One thread of a kernel. The work of a thread is a constexpr function of its lane, which compiles
/// for the host and for devices. Threads never wait for each other, so a loop over all lanes has
/// the effect of the kernel.
struct Lane {
  Index block;
  Index thread;
};

inline constexpr Index threads_of_block = 256;

constexpr Index rounded_up_quotient(Index a, Index b) { return (a + b - 1) / b; }

/// Returns the seconds between two readings of a clock in nanoseconds, or 0 if the clock was set
/// back in between.
constexpr double seconds_between(unsigned long long begin, unsigned long long end) {
  return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
}

/// Sets a matrix to zero.
struct Zeros {
  MatrixView target;

  static constexpr Index rows_of_block = 4 * threads_of_block;

  constexpr Index blocks() const {
    return target.columns * rounded_up_quotient(target.rows, rows_of_block);
  }

  constexpr void run(Lane lane) const {
    const Index begin = lane.block / target.columns * rows_of_block;
    const Index end = begin + rows_of_block < target.rows ? begin + rows_of_block : target.rows;
    double* const to = target.data + lane.block % target.columns * target.ld;
    for (Index i = begin + lane.thread; i < end; i += threads_of_block) to[i] = 0;
  }
};

/// Copies the diagonal of L to the host's memory for the pivot check.
struct Outcome {
  const double* l = nullptr;
  Count ld = 0;
  Index columns = 0;
  /// Status of cuSOLVER: the first column whose pivot check failed, counted from 1, or 0.
  const int* info = nullptr;
  double* diagonal = nullptr;

  constexpr Index blocks() const { return rounded_up_quotient(columns, threads_of_block); }

  constexpr void run(Lane lane) const {
    const Index j = lane.block * threads_of_block + lane.thread;
    if (j >= columns) return;
    diagonal[j] = *info == j + 1 ? std::numeric_limits<double>::quiet_NaN() : l[j + j * ld];
  }
};

/// Adds `factor` times a dense matrix to a target: entry (i, j) goes to
/// target[row[i] + column[j] * ld]. A null list stands for 0, 1, 2, and so on. In column j, only
/// the rows from j + first_row on are added. The lists ascend strictly, so that no two threads
/// write the same entry.
struct Scatter {
  double factor = 1;
  const double* from = nullptr;
  Count from_ld = 0;
  Index rows = 0;
  Index columns = 0;
  Index first_row = 0;  ///< first row of column 0 to add; may be negative
  double* target = nullptr;
  Count ld = 0;
  const Index* row = nullptr;
  const Index* column = nullptr;

  static constexpr Index rows_of_block = 4 * threads_of_block;

  constexpr Index blocks() const { return columns * rounded_up_quotient(rows, rows_of_block); }

  constexpr void run(Lane lane) const {
    const Index j = lane.block % columns;
    const Index begin = lane.block / columns * rows_of_block;
    const Index end = begin + rows_of_block < rows ? begin + rows_of_block : rows;
    double* const to = target + (column != nullptr ? column[j] : j) * ld;
    const double* const values = from + j * from_ld;
    for (Index i = begin + lane.thread; i < end; i += threads_of_block) {
      if (i >= j + first_row) to[row != nullptr ? row[i] : i] += factor * values[i];
    }
  }
};

/// Adds several matrices to different targets in one kernel.
struct Scatters {
  std::array<Scatter, most_targets> of{};
  Index count = 0;

  constexpr Index blocks() const {
    Index sum = 0;
    for (Index s = 0; s < count; ++s) sum += of[s].blocks();
    return sum;
  }

  constexpr void run(Lane lane) const {
    Index s = 0;
    for (; lane.block >= of[s].blocks(); ++s) lane.block -= of[s].blocks();
    of[s].run(lane);
  }
};

/// Returns the addition of a whole contribution to these rows of a tile.
constexpr Scatter addition(ConstMatrixView contribution, MatrixView tile, const Index* row) {
  Scatter scatter;
  scatter.from = contribution.data;
  scatter.from_ld = contribution.ld;
  scatter.rows = contribution.rows;
  scatter.columns = contribution.columns;
  scatter.first_row = -contribution.columns;
  scatter.target = tile.data;
  scatter.ld = tile.ld;
  scatter.row = row;
  return scatter;
}

}  // namespace espalier::internal::cuda
