// SPDX-License-Identifier: BSD-3-Clause
#include "plan/memory.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "espalier/error.hpp"
#include "graph/exchange.hpp"

namespace espalier::internal {

namespace {

constexpr Count program = Count{13} << 20;        // with StarPU, before there is a problem
constexpr Count rank_program = Count{24} << 20;   // with MPI, too: 22 of two ranks, 24 of eight
constexpr Count bytes_a_worker = Count{1} << 20;  // what tasks touch of stacks and buffers
constexpr Count bytes_an_entry_of_a = scalar.bytes + Count{sizeof(Index)};  // its value and its row
constexpr Count bytes_a_place_in_l = 8;  // where an entry of A goes

/// Returns what tasks, or messages, take of StarPU's memory and of ours: those that are submitted
/// and not done yet more than others, of which there are never more, as StarPU begins with the
/// first ones meanwhile. Fitted to fifteen problems by blocks, of 519 to 231,454 tasks, on one
/// worker and on two.
Count bytes_of_tasks(Count tasks) {
  constexpr Count a_task = 1550;
  constexpr Count a_submitted_one = 1200;
  constexpr Count most_submitted = 30'000;
  return tasks * a_task + std::min(tasks, most_submitted) * a_submitted_one;
}

/// Returns what lists of a structure take in memory, but for rows and values.
Count bytes_of_lists(const SymbolicFactor& symbolic) {
  constexpr Count a_supernode = 16;  // its first column and row, its parent
  constexpr Count a_panel = 48;      // offsets of all its lists, cuts, levels
  constexpr Count a_block = 20;      // itself, and where it faces
  return symbolic.supernodes() * a_supernode + symbolic.panels() * a_panel +
         std::ssize(symbolic.block) * a_block;
}

/// Returns what the C library keeps of the threads that ordered beside the first one: malloc_trim()
/// does not return the end of their heaps. Fitted to what two workers leave of ten problems.
Count kept_of_threads(Index columns, Count entries_of_a, Index workers) {
  if (workers == 1) return 0;
  return columns * Count{8} + entries_of_a * Count{4};
}

}  // namespace

Count structure_bytes(const SymbolicFactor& symbolic) {
  constexpr Count a_column = 2 * sizeof(Index);  // its place in the permutation, and back
  return symbolic.n * a_column + std::ssize(symbolic.row) * static_cast<Count>(sizeof(Index)) +
         bytes_of_lists(symbolic);
}

Count predicted_peak_bytes(const SymbolicFactor& symbolic, Count entries_of_a,
                           const PlanSize& plan) {
  constexpr Count offsets = 16;                  // those of A and of its places in L
  constexpr Count vectors = scalar.bytes_of(4);  // b, x, residual, fronts
  constexpr Count a_position = 4;                // of each worker
  const Count a_column = offsets + vectors + plan.workers * a_position;
  return program + plan.of_build + plan.workers * bytes_a_worker + bytes_of_tasks(plan.tasks) +
         symbolic.factor_bytes() + entries_of_a * (bytes_an_entry_of_a + bytes_a_place_in_l) +
         symbolic.n * a_column + structure_bytes(symbolic) +
         kept_of_threads(symbolic.n, entries_of_a, plan.workers);
}

RankBytes rank_bytes(const LocalStructure& structure, const TaskGraph& graph, Count factor,
                     const RankEntries& a) {
  constexpr Count bytes_a_column = 128;  // its part of rows, blocks, panels and vectors
  RankBytes bytes;
  bytes.factor = factor;
  bytes.matrix = a.entries * bytes_an_entry_of_a +
                 a.order / structure.ranks * static_cast<Count>(sizeof(Count));
  bytes.rest = a.entries * (bytes_a_place_in_l + scalar.bytes) + structure.n * bytes_a_column +
               bytes_of_tasks(graph.size() + std::ssize(graph.message));
  return bytes;
}

Count predicted_peak_bytes(const RankBytes& kept, Count window) {
  return rank_program + kept.of_build + kept.factor + window + kept.rest;
}

void expect_memory(Count predicted, Count limit) {
  if (limit > 0 && predicted > limit) {
    throw MemoryError("the factorization needs about " + readable_bytes(predicted) +
                      ", more than the memory limit of " + readable_bytes(limit) +
                      "; raise the limit or choose another ordering");
  }
  if (predicted <= available_memory(predicted).bytes) return;
  expect_available("the factorization", predicted - resident_bytes());
}

LargestGroups largest_groups(const TaskGraph& graph) {
  return {largest_room(graph, Message::Kind::begin), largest_room(graph, Message::Kind::receive)};
}

namespace {

/// Up to so many workers of all ranks, memory is promised; with more, each rank receives several
/// times its part of L, or needs what it receives at once, and would wait for room most of the
/// time.
constexpr Index promised_up_to = 8;
/// Of its part of L. On 16 simulated nodes of 16 cores laplace3d:60 took 196 ms with the promised
/// window, 79 ms with one as large as the part, and 58 ms with this one.
constexpr Count enough = 3;

/// A sixth of L costs no time against a tenth for each sort; a seventh costs elasticity3d:20x20x20
/// on two ranks 6 %: there the tiles of one panel cannot arrive while those of another are in use.
Count promised_window(const RankBytes& kept) {
  constexpr double promised = 1.3;
  constexpr double counted = 0.95;  // of all, as the gaps of the heap are not
  const double most = counted * (promised * static_cast<double>(kept.mean_factor) +
                                 2 * static_cast<double>(kept.matrix));
  const auto left = static_cast<Count>(most) - kept.factor - kept.rest;
  return std::min(left, kept.factor / 6);
}

/// Returns what the limit leaves, or this rank's share of what the machine has.
Count room_for_window(const RankBytes& kept, Index ranks, Count limit) {
  const Count others = predicted_peak_bytes(kept, 0);
  if (limit > 0) return limit - others;
  return available_memory(std::numeric_limits<Count>::max()).bytes / ranks - others;
}

}  // namespace

Count window_bytes(const RankBytes& kept, const TaskGraph& graph, RankWorkers of, Count limit) {
  const LargestGroups largest = largest_groups(graph);
  const Count window = std::max(promised_window(kept), largest.made + largest.received);
  if (of.workers <= promised_up_to) return window;
  return std::max(window, std::min(enough * kept.factor, room_for_window(kept, of.ranks, limit)));
}

}  // namespace espalier::internal
