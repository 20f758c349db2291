// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/cost_table.hpp"

namespace espalier::internal {

/// Rounds in which the same sizes of one kernel were timed. Another program can only slow rounds
/// down, often for seconds. So if rounds differ, the slowest one is dropped.
class Rounds {
 public:
  /// Adds a round: the samples of each size, at least one per size.
  void add(std::vector<std::vector<double>> samples);
  std::size_t count() const { return round_.size(); }
  /// Returns how much longer the slowest round took than the fastest one, as a fraction: the
  /// geometric mean over all sizes. Returns 0 for fewer than two rounds.
  double spread() const;
  /// Removes the slowest round. There must be one.
  void drop_slowest();
  /// Returns the robust_mean() of each size over all rounds.
  std::vector<double> means() const;

 private:
  struct Round {
    std::vector<std::vector<double>> samples;
    double slowness;  ///< mean logarithm of the sizes' medians
  };
  std::vector<Round> round_;
};

/// Maximum accepted spread of rounds. If the spread is larger, up to as many rounds are added as
/// were taken before.
inline constexpr double most_spread = 0.2;

/// A kernel whose repeated timings still differed after the added rounds.
struct UnsteadyKernel {
  std::string kernel;
  double spread;
};

/// A kernel that takes longer in one table than in another one.
struct SlowerKernel {
  std::string kernel;
  double times;  ///< ratio of the times, the geometric mean over the sizes
};

/// Returns the kernels POTRF, TRSM, SYRK and GEMM that take more than 1 + most_spread times as long
/// as before. Compares only sizes from 32 on, which take noticeable time. All grids must be sound.
std::vector<SlowerKernel> slower_kernels(const CostTable& now, const CostTable& before);

/// Returns warnings about a calibration that may be wrong because the machine was busy. Each one
/// says what to do. `before` names the table for comparison.
std::vector<std::string> doubts(const std::vector<UnsteadyKernel>& unsteady,
                                const std::vector<SlowerKernel>& slower, const std::string& before);

}  // namespace espalier::internal
