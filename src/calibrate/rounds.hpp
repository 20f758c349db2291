// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/cost_table.hpp"

namespace espalier::internal {

/// Rounds in which the same sizes of one kernel were timed. Another program takes time from them,
/// for seconds at a stretch, and never gives any, so that of rounds that differ the slowest goes.
class Rounds {
 public:
  /// Adds a round: of each size its samples, at least one.
  void add(std::vector<std::vector<double>> samples);
  std::size_t count() const { return round_.size(); }
  /// Returns by which share the slowest round took longer than the fastest one, in the geometric
  /// mean over all sizes; 0 with fewer than two.
  double spread() const;
  /// Removes the slowest round. There is one.
  void drop_slowest();
  /// Returns the robust_mean() of each size over all rounds.
  std::vector<double> means() const;

 private:
  struct Round {
    std::vector<std::vector<double>> samples;
    double slowness;  ///< the mean logarithm of the sizes' medians
  };
  std::vector<Round> round_;
};

/// Rounds that differ by a larger share are taken again, as often again as there were any.
inline constexpr double most_spread = 0.2;

/// A kernel whose repeats still differed then.
struct UnsteadyKernel {
  std::string kernel;
  double spread;
};

/// A kernel that takes longer than another table says.
struct SlowerKernel {
  std::string kernel;
  double times;  ///< as long, in the geometric mean over its sizes
};

/// Returns the kernels POTRF, TRSM, SYRK and GEMM that take more than 1 + most_spread times as long
/// as before, over the sizes that take time: those from 32 on. Grids have to be sound.
std::vector<SlowerKernel> slower_kernels(const CostTable& now, const CostTable& before);

/// Warns of what a calibration is not to be trusted for: sentences that say what to do, as the
/// machine may have been busy. `before` names the other table.
std::vector<std::string> doubts(const std::vector<UnsteadyKernel>& unsteady,
                                const std::vector<SlowerKernel>& slower, const std::string& before);

}  // namespace espalier::internal
