// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/task_graph.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// What takes memory of a plan.
struct PlanSize {
  Index workers = 1;
  Index tasks = 0;
  Count of_build = 0;  ///< bytes that this build takes more than the plainest one
};

/// Returns what a structure takes in memory, without what has the values of L.
Count structure_bytes(const SymbolicFactor& symbolic);

/// Returns the predicted peak of the whole process with one right-hand side: L, A, the map of its
/// entries, the structure, tasks, what workers have each, and what a program with StarPU takes
/// anyway.
Count predicted_peak_bytes(const SymbolicFactor& symbolic, Count entries_of_a,
                           const PlanSize& plan);

/// Throws MemoryError when the prediction passes the limit (0 for none) or what the machine has
/// free.
void expect_memory(Count predicted, Count limit);

/// What one of several ranks keeps, in bytes.
struct RankBytes {
  Count factor = 0;       ///< its part of L
  Count mean_factor = 0;  ///< the mean of the parts of all ranks
  Count matrix = 0;       ///< its part of A
  Count rest = 0;         ///< what else grows with the problem
  Count of_build = 0;     ///< what this build takes more than the plainest one
};

/// What one of several ranks has of A.
struct RankEntries {
  Count entries = 0;
  Index order = 0;  ///< the order of the whole A
};

/// Returns what a rank keeps whose part of L takes `factor` bytes, all but the mean of all ranks.
RankBytes rank_bytes(const LocalStructure& structure, const TaskGraph& graph, Count factor,
                     const RankEntries& a);

/// Returns the predicted peak of the process of one of several ranks, for the factorization alone:
/// `window` is what contributions and what is received may take.
Count predicted_peak_bytes(const RankBytes& kept, Count window);

/// Bytes of the largest groups of data that come and go: of contributions that a rank makes, and of
/// what it receives.
struct LargestGroups {
  Count made = 0;
  Count received = 0;
};
LargestGroups largest_groups(const TaskGraph& graph);

/// How many ranks there are, and how many workers they have together.
struct RankWorkers {
  Index ranks = 1;
  Index workers = 1;
};

/// Returns what the contributions that a rank makes and what it receives may take in memory at
/// once, where there are several: so much that a rank takes no more than 1.3 times the mean part of
/// L and twice its part of A, and no more than is of use, but the largest group of each sort at
/// least. Where all ranks together have more than eight workers, each may take three times its part
/// of L, as far as `limit`, for its whole process, or the machine allows.
Count window_bytes(const RankBytes& kept, const TaskGraph& graph, RankWorkers of = {},
                   Count limit = 0);

}  // namespace espalier::internal
