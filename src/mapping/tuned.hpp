// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Constants of the mappings to workers and ranks that were fitted to measurements. The word in
/// brackets is the key of an experiment in docs/experiments.md, which has the figures and the
/// command.
struct MappingConstants {
  /// Maximum imbalance of the work that a map may keep, relative to the mean of the ranks
  /// [rank-balance].
  double balance_slack = 0.01;
  /// Maximum imbalance of the entries of L that does not count against a map, relative to their
  /// mean [rank-balance].
  double memory_slack = 0.03;
  /// Weights of memory against work in the load of a panel. The search tries all of them. A larger
  /// weight balances the memory better, and sometimes also the work [rank-balance].
  std::array<double, 3> memory_shares{0.6, 0.7, 0.85};
  /// Number of rounds of corrected quotas per weight [rank-balance].
  int rounds = 16;
  /// Maximum predicted time of a division among layers of ranks above that of a perfect one,
  /// relative to it [rank-layers].
  double layer_slack = 0.1;
  /// Maximum entries of the sums that layers of ranks make for each other, as a share of the
  /// entries of L [rank-layers].
  double layer_memory = 0.5;
  /// Maximum number of layers of ranks that is chosen automatically [rank-layers].
  Index max_layers = 16;
  /// Minimum number of subtrees per rank of a block-cyclic map [rank-balance].
  double subtrees_per_rank = 4;
  /// Seconds of a barrier: until all workers have noticed that a level is finished and found their
  /// first tasks of the next one [levels].
  double barrier_seconds = 10e-6;
  /// Bandwidth at which solves read L if it was not measured, in bytes per second [solve-seconds].
  double bytes_per_second = 16e9;
  /// Fixed cost per row of a panel in a solve, in entries of L that could be read in the same time.
  /// It stands for the access to the vectors through an index [solve-seconds].
  double entries_per_row = 10;
};

inline constexpr MappingConstants mapping_constants;

}  // namespace espalier::internal
