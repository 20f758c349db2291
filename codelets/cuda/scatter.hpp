// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "base/dense_view.hpp"
#include "codelets/cuda/lane.hpp"
#include "codelets/product.hpp"

namespace espalier::cuda {

/// Adds `factor` times the columns of a dense matrix to a target: entry (i, j) to
/// target[row[i] + column[j] * ld], where a null list stands for 0, 1, 2, ...; of column j only the
/// rows from j + first_row on. The lists ascend strictly, so no two threads write one entry.
struct Scatter {
  double factor = 1;
  const double* from = nullptr;
  Count from_ld = 0;
  Index rows = 0;
  Index columns = 0;
  Index first_row = 0;  ///< of column 0; may be negative
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

/// Several into different targets, as one kernel.
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

/// Adds all of a contribution to these rows of a tile.
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

}  // namespace espalier::cuda
