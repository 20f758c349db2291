// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "base/dense.hpp"
#include "codelets/packed_pivots.hpp"
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

/// Applies the swaps and rotations of a factored block to the columns of rows below it, and writes
/// the signs of the block. One thread does all columns of a row, so threads read and write
/// consecutive entries.
struct PivotColumns {
  PackedPivots pivots;
  double* rows = nullptr;
  Count ld = 0;
  Index count = 0;
  double* sign = nullptr;  ///< memory of the host, one entry per column

  constexpr Index blocks() const {
    const Index most = count > pivots.columns ? count : pivots.columns;
    return rounded_up_quotient(most, threads_of_block);
  }

  constexpr void run(Lane lane) const {
    const Index i = lane.block * threads_of_block + lane.thread;
    if (i < pivots.columns) sign[i] = sign_in(pivots.block[i * pivots.ld]);
    if (i >= count) return;
    for (Index k = 0; k < pivots.columns; ++k)
      swap(&rows[i + k * ld], &rows[i + pivots.swap(k) * ld]);
    for (Index k = 0; k + 1 < pivots.columns; ++k) {
      const double tangent = pivots.tangent(k);
      if (tangent != 0) rotate(&rows[i + k * ld], &rows[i + (k + 1) * ld], tangent);
    }
  }

 private:
  static constexpr void swap(double* a, double* b) {
    const double kept = *a;
    *a = *b;
    *b = kept;
  }
  static constexpr void rotate(double* a, double* b, double tangent) {
    const double cosine = 1 / std::sqrt(1 + tangent * tangent);
    const double sine = tangent * cosine;
    const double old = *a;
    *a = cosine * old - sine * *b;
    *b = sine * old + cosine * *b;
  }
};

/// Doubles the signs of weak columns, and puts all signs into the first row of a tile. See
/// PivotSigns::take() and BlockPivots::weak. Each block of threads does one column. Several threads
/// may write the same sign.
struct PivotOutcome {
  const double* l = nullptr;  ///< the factored block
  Count ld = 0;
  MatrixView rows;         ///< Z, below the block
  bool is_first = false;   ///< the rows are the first ones of their tile
  double largest = 0;      ///< BlockPivots::largest
  double harmless = 0;     ///< BlockPivots::harmless
  double* sign = nullptr;  ///< memory of the host

  constexpr Index blocks() const { return rows.columns; }

  constexpr void run(Lane lane) const {
    const Index k = lane.block;
    const double own = sign_in(l[k * ld]);
    const double of_pivot = largest * l[k + k * ld];
    const double bound = of_pivot > harmless ? of_pivot : harmless;  // BlockPivots::weak_beyond()
    double* const column = rows.data + k * rows.ld;
    bool is_weak = false;
    for (Index i = lane.thread; i < rows.rows; i += threads_of_block) {
      is_weak = is_weak || column[i] > bound || -column[i] > bound;
    }
    if (is_weak) sign[k] = 2 * own;
    if (is_first && lane.thread == 0) column[0] = put_sign(column[0], own);
  }
};

/// Copies rows times the signs of their columns.
struct SignedCopy {
  const double* first = nullptr;  ///< first row of a tile of the same panel, which has the signs
  Count first_ld = 0;
  ConstMatrixView from;
  double* to = nullptr;  ///< leading dimension: the rows

  static constexpr Index rows_of_block = 4 * threads_of_block;

  constexpr Index blocks() const {
    return from.columns * rounded_up_quotient(from.rows, rows_of_block);
  }

  constexpr void run(Lane lane) const {
    const Index j = lane.block % from.columns;
    const Index begin = lane.block / from.columns * rows_of_block;
    const Index end = begin + rows_of_block < from.rows ? begin + rows_of_block : from.rows;
    const double sign = sign_in(first[j * first_ld]);
    const double* const values = from.data + j * from.ld;
    double* const target = to + Count{j} * from.rows;
    for (Index i = begin + lane.thread; i < end; i += threads_of_block)
      target[i] = sign * values[i];
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
