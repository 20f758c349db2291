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
  /// Maximum seconds of work for which the calling thread solves without StarPU [direct-solves].
  double direct_solve_below = 0.4e-3;
  /// Columns of the front by which the widths of panels are compared beside devices; it has as many
  /// rows below [device-panels].
  Index front = 4096;
  /// Columns of a panel beside devices whose kernels were not measured [device-panels].
  Index wide_panel = 512;
};

inline constexpr TunedConstants tuned_constants;

/// What a process takes in memory beside the arrays whose sizes are known, in bytes unless another
/// unit is named. All were fitted to measured peaks [memory].
struct MemoryConstants {
  /// The program with StarPU, before there is a problem; with MPI, too.
  Count program = Count{13} << 20;
  Count rank_program = Count{24} << 20;
  /// The part of its stack and its buffers that a worker touches.
  Count worker = Count{1} << 20;
  /// A task or a message, in StarPU's memory and in ours.
  Count task = 1550;
  /// More bytes for a task that is submitted and not done, and the maximum number of such tasks:
  /// StarPU runs the first tasks while the last are submitted.
  Count submitted_task = 1200;
  Count most_submitted = 30'000;
  /// Bytes for each column and each entry of A that the C library keeps if several threads order,
  /// because malloc_trim() does not return the ends of the heaps of these threads.
  Count column_of_threads = 8;
  Count entry_of_threads = 4;
  /// What a rank has for each of its columns: parts of rows, blocks, panels and vectors.
  Count column_of_rank = 128;
  /// Maximum number of workers of all ranks for which memory is promised [window]. With more
  /// workers, each rank receives several times its part of L. It would wait for room most of the
  /// time.
  Index promised_up_to = 8;
  /// A rank promises to take at most this multiple of the mean part of L. Predictions may fill this
  /// share of the promise; the rest is for gaps of the heap [window].
  double promised = 1.3;
  double counted = 0.95;
  /// The promised window is the part of L, divided by this [window].
  Count promised_windows = 6;
  /// Size of the window with more workers than that, as a multiple of the part of L [window].
  Count enough_window = 3;
};

inline constexpr MemoryConstants memory_constants;

}  // namespace espalier::internal
