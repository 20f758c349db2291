// SPDX-License-Identifier: BSD-3-Clause
#include "plan/memory.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "espalier/error.hpp"
#include "graph/exchange.hpp"
#include "plan/tuned.hpp"

namespace espalier::internal {

namespace {

constexpr const MemoryConstants& constants = memory_constants;

constexpr Count bytes_an_entry_of_a = scalar.bytes + Count{sizeof(Index)};  // its value and its row
constexpr Count bytes_a_place_in_l = 8;  // position of an entry of A in L

/// Returns the bytes of `tasks` tasks with handles that are `submitted` tasks for StarPU.
Count bytes_of_tasks(Count tasks, Count submitted) {
  return tasks * constants.task +
         std::min(submitted, constants.most_submitted) * constants.submitted_task;
}

Count bytes_of_tasks(const PlanSize& plan) {
  if (!plan.has_handles) return plan.tasks * constants.ordered_task;
  return bytes_of_tasks(plan.tasks, plan.batches > 0 ? plan.batches : plan.tasks);
}

/// Returns the bytes of the lists of a structure, without rows and values.
Count bytes_of_lists(const SymbolicFactor& symbolic) {
  constexpr Count a_supernode = 16;  // its first column, first row and parent
  constexpr Count a_panel = 48;      // offsets of all its lists, cuts, levels
  constexpr Count a_block = 20;      // the block, and the panel that it faces
  return symbolic.supernodes() * a_supernode + symbolic.panels() * a_panel +
         std::ssize(symbolic.block) * a_block;
}

}  // namespace

Count bytes_of_workers(Index workers, Index columns) {
  constexpr Count a_position = 4;  // of a column
  return workers * (constants.worker + columns * a_position);
}

Count kept_of_ordering(Index columns, Count entries_of_a, Index workers) {
  if (workers == 1) return 0;
  return columns * constants.column_of_threads + entries_of_a * constants.entry_of_threads;
}

Count structure_bytes(const SymbolicFactor& symbolic) {
  // its new and its old position in the permutation, and its position in the separator tree
  constexpr Count a_column = 3 * sizeof(Index);
  return symbolic.n * a_column + std::ssize(symbolic.row) * static_cast<Count>(sizeof(Index)) +
         bytes_of_lists(symbolic);
}

Count predicted_peak_bytes(const SymbolicFactor& symbolic, Count entries_of_a,
                           const PlanSize& plan) {
  constexpr Count offsets = 16;  // of A, and of its positions in L
  constexpr Count vectors =
      scalar.bytes_of(4);  // b, x, the residual and the local vectors of the solve
  constexpr Count a_column = offsets + vectors;
  return constants.program + plan.of_build + bytes_of_workers(plan.workers, symbolic.n) +
         bytes_of_tasks(plan) + symbolic.factor_bytes() +
         entries_of_a * (bytes_an_entry_of_a + bytes_a_place_in_l) + symbolic.n * a_column +
         structure_bytes(symbolic) + kept_of_ordering(symbolic.n, entries_of_a, plan.workers);
}

RankBytes rank_bytes(const LocalStructure& structure, const TaskGraph& graph, Count factor,
                     const RankEntries& a) {
  RankBytes bytes;
  bytes.factor = factor;
  bytes.matrix = a.entries * bytes_an_entry_of_a +
                 a.order / structure.ranks * static_cast<Count>(sizeof(Count));
  bytes.rest = a.entries * (bytes_a_place_in_l + scalar.bytes) +
               structure.n * constants.column_of_rank +
               bytes_of_tasks(graph.size() + std::ssize(graph.transfers()),
                              graph.submitted() + std::ssize(graph.transfers()));
  return bytes;
}

Count predicted_peak_bytes(const RankBytes& kept, Count pool) {
  return constants.rank_program + kept.beside + kept.factor + pool + kept.rest;
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
  return {largest_group_bytes(graph, Message::Kind::begin),
          largest_group_bytes(graph, Message::Kind::receive)};
}

namespace {

Count promised_pool(const RankBytes& kept) {
  const double most =
      constants.counted * (constants.promised * static_cast<double>(kept.mean_factor) +
                           2 * static_cast<double>(kept.matrix));
  const auto left = static_cast<Count>(most) - kept.factor - kept.rest;
  return std::min(left, kept.factor / constants.promised_pools);
}

/// Returns the bytes of all data that pass through the buffer pool in a factorization.
Count bytes_through_pool(const TaskGraph& graph) {
  Count bytes = 0;
  for (const Message& m : graph.transfers()) bytes += m.group_bytes;
  return bytes;
}

/// Returns the size of a buffer pool that seldom delays a message.
Count enough_pool(const RankBytes& kept, const TaskGraph& graph, Index ranks) {
  const Count share_of_factor = kept.mean_factor * ranks / constants.pools_of_factor;
  return std::min({share_of_factor, constants.most_pool * kept.factor, bytes_through_pool(graph)});
}

/// Returns the bytes that the limit or, without a limit, this rank's share of the free memory
/// leaves for the buffer pool.
Count space_for_pool(const RankBytes& kept, Index ranks, Count limit) {
  const Count others = predicted_peak_bytes(kept, 0);
  if (limit > 0) return limit - others;
  return available_memory(std::numeric_limits<Count>::max()).bytes / ranks - others;
}

}  // namespace

Count window_bytes(const RankBytes& kept, const TaskGraph& graph, RankWorkers of, Count limit) {
  const LargestGroups largest = largest_groups(graph);
  const Count needed = largest.made + largest.received;
  const Count promised = std::max(promised_pool(kept), needed);
  if (of.workers <= constants.promised_up_to) return promised;
  const Count enough = enough_pool(kept, graph, of.ranks);
  return std::max(needed, std::min(enough, space_for_pool(kept, of.ranks, limit)));
}

}  // namespace espalier::internal
