// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/task_graph.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

/// Numbers of a plan that determine its memory.
struct PlanSize {
  Index workers = 1;
  Index tasks = 0;
  Count of_build = 0;        ///< extra bytes of this build of the library, see bytes_of_build()
  Index batches = 0;         ///< tasks that StarPU gets; 0: all tasks
  bool has_handles = false;  ///< see FactorPlan::has_handles
};

/// Returns the bytes of a structure without the values of L.
Count structure_bytes(const SymbolicFactor& symbolic);

/// Returns the predicted peak of the whole process with one right-hand side, in bytes: the program
/// with StarPU, L, A and the positions in L of the entries of A, the structure, the tasks, and
/// memory of each worker.
Count predicted_peak_bytes(const SymbolicFactor& symbolic, Count entries_of_a,
                           const PlanSize& plan);

/// Throws MemoryError if the prediction exceeds the limit (0: no limit) or the free memory of the
/// machine.
void expect_memory(Count predicted, Count limit);

/// Memory of one of several ranks, in bytes.
struct RankBytes {
  Count factor = 0;       ///< this rank's part of L
  Count mean_factor = 0;  ///< mean of the parts of L of all ranks
  Count matrix = 0;       ///< this rank's part of A
  Count rest = 0;         ///< tasks, messages and structure, which grow with the problem
  Count beside = 0;       ///< all other memory, which the bound `promised` does not count
};

/// The part of A of one of several ranks.
struct RankEntries {
  Count entries = 0;
  Index order = 0;  ///< order of the whole matrix
};

/// Returns the memory of a rank whose part of L takes `factor` bytes. `mean_factor` and `beside`
/// are left 0.
RankBytes rank_bytes(const LocalStructure& structure, const TaskGraph& graph, Count factor,
                     const RankEntries& a);

/// Returns the memory of a process's workers for a structure with this number of columns, in bytes.
Count bytes_of_workers(Index workers, Index columns);

/// Returns the bytes that the C library keeps in the process that computed the ordering of A with
/// this number of workers.
Count kept_of_ordering(Index columns, Count entries_of_a, Index workers);

/// Returns the predicted peak of one of several ranks during the factorization, in bytes. `pool` is
/// the size of the rank's buffer pool for contributions and received data.
Count predicted_peak_bytes(const RankBytes& kept, Count pool);

/// Bytes of the largest groups of temporary data: of contributions that the rank makes, and of data
/// that it receives. The members of a group must fit in the buffer pool at the same time.
struct LargestGroups {
  Count made = 0;
  Count received = 0;
};
LargestGroups largest_groups(const TaskGraph& graph);

/// Number of ranks, and of the workers of all ranks together.
struct RankWorkers {
  Index ranks = 1;
  Index workers = 1;
};

/// Returns the size of the buffer pool for contributions and received data of one of several ranks,
/// in bytes. The pool always holds the largest group of contributions and the largest group of
/// received data.
/// - Up to MemoryConstants::promised_up_to workers of all ranks: the rank then takes at most 1.3
///   times the mean part of L plus twice its part of A.
/// - More workers: the size of the whole L divided by MemoryConstants::pools_of_factor, at most
///   MemoryConstants::most_pool times the rank's part of L, and never more than all data that pass
///   through it. `limit` may make it smaller. It is the maximum for the whole process; if it is 0,
///   the free memory of the machine counts.
Count window_bytes(const RankBytes& kept, const TaskGraph& graph, RankWorkers of = {},
                   Count limit = 0);

}  // namespace espalier::internal
