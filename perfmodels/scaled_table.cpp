// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/scaled_table.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::internal {

namespace {

void scale(CostGrid& grid, double factor) {
  for (double& seconds : grid.seconds) seconds *= factor;
}

/// Scales the grid of an update. `inner` is the number of its inner dimensions, which vary fastest
/// and are powers of two. The number of operations is proportional to the inner dimension.
void scale_update(CostGrid& grid, int inner, double computations, double memory) {
  for (std::size_t begin = 0; begin < grid.seconds.size(); begin += inner) {
    const double accesses = grid.seconds[begin];  // per operation of inner dimension 1
    for (int k = 0; k < inner; ++k) {
      const double all = std::ldexp(grid.seconds[begin + k], k);
      const double moved = std::min(accesses, all);
      grid.seconds[begin + k] = std::ldexp(memory * moved + computations * (all - moved), -k);
    }
  }
}

}  // namespace

void scale(CostTable& table, double computations, double memory) {
  scale_update(table.syrk, table.syrk.classes[1], computations, memory);
  scale_update(table.gemm, table.gemm.classes[2], computations, memory);
  for (CostGrid* const grid :
       {&table.potrf, &table.trsm, &table.syrk_again, &table.gemm_again, &table.gemm_alone}) {
    scale(*grid, computations);
  }
  scale(table.scatter, memory);
  for (double* const seconds : {&table.take, &table.line, &table.task, &table.search}) {
    *seconds *= computations;
  }
  for (double* const seconds : {&table.fill, &table.read}) *seconds *= memory;
  table.history = table.history.at_other_rates(1 / computations);
}

}  // namespace espalier::internal
