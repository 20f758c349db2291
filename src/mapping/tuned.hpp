// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Constants of the mappings to workers and ranks that were fitted to measurements. The word in
/// brackets is the key of an experiment in docs/experiments.md, which has the figures and the
/// command.
struct MappingConstants {
  /// Imbalance of the work that a map may keep, relative to the mean of the ranks [rank-balance].
  double balance_slack = 0.01;
  /// Maximum imbalance of the entries of L that does not count against a map, relative to their
  /// mean [rank-balance].
  double memory_slack = 0.03;
  /// Weights of the memory against the work of a panel. The search tries all of them. A larger one
  /// makes the memory more even, and sometimes the work, too [rank-balance].
  std::array<double, 3> memory_shares{0.6, 0.7, 0.85};
  /// Rounds of corrected quotas for each share [rank-balance].
  int rounds = 16;
  /// Minimum number of subtrees for each rank of a block-cyclic map [rank-balance].
  double subtrees_per_rank = 4;
  /// Seconds until all workers have noticed that a level is done and found their first tasks of the
  /// next [levels].
  double barrier_seconds = 10e-6;
  /// Bytes a second at which solves read L, if that was not measured [solve-seconds].
  double bytes_per_second = 16e9;
  /// Entries of L whose reading takes as long as a row of a panel takes from the vectors and back,
  /// through an index [solve-seconds].
  double entries_per_row = 10;
};

inline constexpr MappingConstants mapping_constants;

}  // namespace espalier::internal
