// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Constants of the planner that were fitted to measurements. The word in brackets is the key of an
/// experiment in docs/experiments.md, which has the figures and the command.
struct TunedConstants {
  /// Maximum predicted work, in seconds, that the calling thread does without StarPU [direct].
  double direct_below = 1.2e-3;
  /// The planner also tries fewer subtrees if the predicted work in seconds, of all workers or per
  /// worker, is at most this [subtrees].
  double small_below = 20e-3;
  double small_below_a_worker = 0.7e-3;
  /// Numbers of subtrees per worker that the planner tries for small problems. It skips a number
  /// that is not below the user's choice [subtrees].
  std::array<double, 2> fewer_subtrees{2, 1.25};
  /// Minimum predicted time of a subtree, in seconds, without devices and unless the user chose the
  /// number of subtrees [subtrees].
  double least_subtree = 250e-6;
  /// Minimum and maximum number of subtrees per worker next to fast devices [device-subtrees].
  Index subtrees_beside_devices = 12;
  Index most_beside_devices = 3072;
  /// Minimum relative saving for which the planner doubles the number of subtrees
  /// [device-subtrees].
  double saved_by_more = 0.08;
  /// A device counts as fast if it is more than this many times as fast as a core
  /// [device-subtrees].
  double much_faster = 4;
  /// Values of the option tile_rows that the planner also tries if the user chose none [tile-rows].
  std::array<Index, 2> finer_rows{256, 128};
  /// Minimum number of workers for which the planner tries `finer_rows` [tile-rows].
  Index finer_from = 16;
  /// Factors on the host's update times under MDWIN. MDWIN balances updates alone, but the host has
  /// other work, too. The planner tries the factors in this order until the predicted makespan no
  /// longer gets shorter [idle-devices].
  std::array<double, 8> loads_of_host{1.4, 2, 2.8, 4, 5.6, 8, 11, 16};
  /// Fraction of the host's overhead that is added to the bounds with devices, because the bounds
  /// themselves leave it out. This overhead is the overhead per task, times the number of tasks,
  /// divided by the number of CPU workers [idle-devices].
  double counted_overhead = 0.8;
  /// Minimum relative saving for which the planner uses devices [idle-devices].
  double least_saved = 0.1;
  /// Number of copies in each direction whose latency devices must also save, because the predicted
  /// longest path has no copies [idle-devices].
  double copies_of_path = 15;
  /// Lower bound of the predicted time of any plan for the host alone, as a fraction of the time of
  /// all blocks divided by the CPU workers. It is below 1 because one task has several blocks. The
  /// planner does not build such a plan if even this bound is too long [idle-devices].
  double least_share = 0.5;
  /// Maximum number of workers of all ranks for which a panel, not a tile, is a task [rank-tiles].
  Index panels_up_to = 7;
  /// Maximum and minimum default of the option tile_rows if there are several ranks [rank-tiles].
  Index coarsest_rank_tile = 1024;
  Index finest_rank_tile = 128;
  /// Maximum time of a solve, in seconds, for which the calling thread works without StarPU
  /// [direct-solves].
  double direct_solve_below = 0.4e-3;
  /// Columns of the dense matrix that default_tuning() uses to compare panel widths on devices.
  /// This matrix has as many rows below its diagonal part as columns [device-panels].
  Index front = 4096;
  /// Panel width, in columns, with devices whose kernels were not measured [device-panels].
  Index wide_panel = 512;
};

inline constexpr TunedConstants tuned_constants;

/// Predicted memory of a process in addition to arrays of known size. Values are in bytes unless
/// another unit is named. All were fitted to measured peaks [memory].
struct MemoryConstants {
  /// The program with StarPU before it has a problem, without MPI (`program`) and with MPI
  /// (`rank_program`).
  Count program = Count{14} << 20;
  Count rank_program = Count{24} << 20;
  /// The part of its stack and buffers that a worker uses.
  Count worker = Count{1} << 20;
  /// A task that StarPU gets when it is ready, without its data.
  Count ordered_task = 715;
  /// A task with its share of the handles, or a message, in the memory of StarPU and of Espalier.
  Count task = 1550;
  /// Additional bytes of such a task that is submitted and not finished, and the maximum number of
  /// such tasks. StarPU runs the first tasks while the last ones are submitted.
  Count submitted_task = 1200;
  Count most_submitted = 30'000;
  /// Bytes per column and per entry of A that the C library keeps if several threads compute the
  /// ordering. malloc_trim() does not return the ends of these threads' heaps.
  Count column_of_threads = 8;
  Count entry_of_threads = 4;
  /// Bytes per column of a rank: parts of rows, blocks, panels and vectors.
  Count column_of_rank = 128;
  /// Maximum number of workers of all ranks for which ranks keep the memory bound `promised`
  /// [window]. With more workers, each rank receives several times its part of L, and would wait
  /// for buffers most of the time.
  Index promised_up_to = 8;
  /// `promised` bounds the memory of a rank, as a multiple of the mean part of L. `counted` is the
  /// fraction of this bound that predictions may fill; the rest is for gaps in the heap [window].
  double promised = 1.3;
  double counted = 0.95;
  /// Within that bound, the buffer pool has the size of the rank's part of L divided by this number
  /// [window].
  Count promised_pools = 6;
  /// If there are more workers, the buffer pool has the size of the whole L divided by
  /// `pools_of_factor`, and at most `most_pool` times the rank's part of L [window].
  Count pools_of_factor = 6;
  Count most_pool = 3;
};

inline constexpr MemoryConstants memory_constants;

}  // namespace espalier::internal
