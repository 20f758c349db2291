// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Constants of the planner that were fitted to measurements. The word in brackets is the key of an
/// experiment in docs/experiments.md, which has the figures and the command.
struct TunedConstants {
  /// Maximum seconds of work that the calling thread does without StarPU [direct].
  double direct_below = 1.2e-3;
  /// Maximum seconds of work for which fewer subtrees are tried, too [subtrees].
  double small_below = 20e-3;
  /// Subtrees per worker that are tried for small problems if the user chose more [subtrees].
  std::array<double, 2> fewer_subtrees{2, 1.25};
  /// Minimum subtrees per worker beside fast devices, and the maximum [device-subtrees].
  Index subtrees_beside_devices = 12;
  Index most_beside_devices = 3072;
  /// Minimum relative saving for which there are twice as many subtrees [device-subtrees].
  double saved_by_more = 0.08;
  /// Minimum ratio of the rates of a device and of a core for which it counts as fast
  /// [device-subtrees].
  double much_faster = 4;
  /// Rows of tiles that are tried, too, if the user chose none [tile-rows].
  std::array<Index, 2> finer_rows{256, 128};
  /// Minimum number of workers for which they are tried [tile-rows].
  Index finer_from = 16;
  /// Weights of the host's updates under MDWIN, tried while the predicted makespan gets shorter:
  /// MDWIN compares updates alone, but the host has more to do [idle-devices].
  std::array<double, 8> loads_of_host{1.4, 2, 2.8, 4, 5.6, 8, 11, 16};
  /// Share of the overhead of tasks on the host that the bounds of the makespan beside devices
  /// leave out, and that is added to them [idle-devices].
  double counted_overhead = 0.8;
  /// Minimum relative saving for which devices are used [idle-devices].
  double least_saved = 0.1;
  /// Copies each way whose latency devices must save besides, because the predicted longest path
  /// has no copies [idle-devices].
  double copies_of_path = 15;
  /// Minimum share of the time that all blocks take on the workers of the host which any plan for
  /// the host alone takes, because tasks have several blocks. Such plans are not made if even this
  /// share is too long [idle-devices].
  double least_share = 0.5;
  /// Maximum number of workers of all ranks for which panels are tasks, not tiles [rank-tiles].
  Index panels_up_to = 7;
  /// Maximum and minimum rows of the tiles of ranks [rank-tiles].
  Index coarsest_rank_tile = 1024;
  Index finest_rank_tile = 128;
};

inline constexpr TunedConstants tuned_constants;

}  // namespace espalier::internal
