// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/dense_view.hpp"
#include "codelets/cuda/lane.hpp"

namespace espalier::cuda {

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

}  // namespace espalier::cuda
