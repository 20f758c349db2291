// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "codelets/cuda/lane.hpp"

namespace espalier::cuda {

/// Writes the diagonal of L where the host looks at it.
struct Outcome {
  const double* l = nullptr;
  Count ld = 0;
  Index columns = 0;
  const int* info = nullptr;  ///< of cuSOLVER: the first column whose pivot failed, from 1, or 0
  double* diagonal = nullptr;

  constexpr Index blocks() const { return rounded_up_quotient(columns, threads_of_block); }

  constexpr void run(Lane lane) const {
    const Index j = lane.block * threads_of_block + lane.thread;
    if (j >= columns) return;
    diagonal[j] = *info == j + 1 ? std::numeric_limits<double>::quiet_NaN() : l[j + j * ld];
  }
};

}  // namespace espalier::cuda
