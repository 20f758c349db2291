// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/factor_batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "graph/batched_graphs.hpp"
#include "runtime/sample_factor.hpp"
#include "runtime/sample_ranks.hpp"
#include "support/dense_cholesky.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::SampleFactor;
using support::SampleRanks;

/// A factor of one process with the batches of a grid of workers.
SampleFactor batched(const SparseMatrix& a, const BlockGrid& grid, double overhead) {
  return {a, [&](const SymbolicFactor& structure) {
            TaskGraph graph = support::graph_of(structure, 0, Granularity::block);
            batch_tasks(graph, {structure, sole_ownership(structure)}, std::vector{grid}, overhead);
            return graph;
          }};
}

/// Calls visit(factor) for several matrices, grids and overheads, until a test fails.
template <class Visit>
void for_each_batched_factor(Visit visit) {
  for (const auto& problem : support::small_matrices()) {
    for (const BlockGrid& grid : {BlockGrid{1, 1}, BlockGrid{2, 2}, BlockGrid{3, 1}}) {
      for (const double overhead : {support::no_overhead, support::long_overhead}) {
        SCOPED_TRACE(problem.name + ", " + std::to_string(grid.rows) + " rows of workers");
        SampleFactor factor = batched(problem.matrix, grid, overhead);
        visit(factor);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(FactorBatches, GiveTheFactorOfTheirTasks) {
  for_each_batched_factor([](SampleFactor& factor) {
    const std::vector<double> expected = factor.run();
    EXPECT_TRUE(support::close(factor.run_batches(), expected, factor.symbolic().n));
  });
}

TEST(FactorBatches, HaveTheSumsOfTheirTasks) {
  for_each_batched_factor([](SampleFactor& factor) {
    for (const TaskBatch& batch : factor.list().batches->batch) {
      double seconds = 0;
      double flops = 0;
      float path = 0;
      for (const Index t : batch.task) {
        const Shape& shape = factor.list().task[t].shape;
        seconds += shape.seconds;
        flops += shape.flops;
        path = std::max(path, shape.path);
      }
      EXPECT_EQ(batch.shape.kind, factor.list().task[batch.task.back()].shape.kind);
      EXPECT_DOUBLE_EQ(batch.shape.seconds, seconds);
      EXPECT_DOUBLE_EQ(batch.shape.flops, flops);
      EXPECT_EQ(batch.shape.path, path);
      EXPECT_EQ(batch.shape.row, factor.list().task[batch.task.front()].shape.row);
      EXPECT_EQ(batch.shape.queued, &batch.queued);
    }
  });
}

/// Returns whether StarPU runs two batches with these accesses to one strip in their order.
bool in_order(AccessMode first, AccessMode second) {
  const bool reads = first == AccessMode::read && second == AccessMode::read;
  const bool adds = first == AccessMode::add && second == AccessMode::add;
  return !reads && !adds;
}

/// The accesses of batches must imply every dependency of the graph.
TEST(FactorBatches, AccessStripsThatImplyEveryEdgeOfTheGraph) {
  for_each_batched_factor([](SampleFactor& factor) {
    const BatchList& batches = *factor.list().batches;
    std::vector<const TaskBatch*> batch_of(factor.list().task.size());
    for (const TaskBatch& batch : batches.batch) {
      for (const Index t : batch.task) batch_of[t] = &batch;
    }
    for (Index t = 0; t < factor.graph().size(); ++t) {
      for (const Index next : factor.graph().successors(t)) {
        if (batch_of[t] == batch_of[next]) continue;
        bool waits = false;
        for (const Access& before : batches.accesses(*batch_of[t])) {
          for (const Access& after : batches.accesses(*batch_of[next])) {
            waits |= before.data == after.data && in_order(before.mode, after.mode);
          }
        }
        EXPECT_TRUE(waits) << t << " -> " << next;
      }
    }
  });
}

TEST(FactorBatches, GiveTheirQueueToEachTask) {
  SampleFactor factor =
      batched(support::small_matrices().back().matrix, {2, 2}, support::no_overhead);
  const TaskBatch& batch = factor.list().batches->batch.back();
  batch.queued.ready = 7;
  batch.note_queue();
  for (const Index t : batch.task) EXPECT_EQ(factor.list().task[t].queued.ready, 7);
}

/// On ranks with different grids of workers, every entry of L is on one rank and equals the dense
/// factorization.
TEST(FactorBatches, OfSeveralRanksGiveTheFactorTogether) {
  for (const auto& problem : support::small_matrices()) {
    const SymbolicFactor whole = support::structure_of(problem.matrix);
    const support::DenseMatrix l =
        support::dense_cholesky(support::permuted(problem.matrix, whole.permutation));
    for (const Index count : {2, 3, 4, 6}) {
      for (const double overhead : {support::no_overhead, support::long_overhead}) {
        SCOPED_TRACE(problem.name + ", " + std::to_string(count) + " ranks");
        SampleRanks ranks(problem.matrix, support::batched_graphs(whole, count, overhead), whole);
        ASSERT_EQ(ranks.run(), -1);
        ranks.expect_factor(whole, l);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(FactorBatches, OfSeveralRanksEndAfterAFailedPivot) {
  const support::NamedMatrix problem = support::small_matrices().back();
  const Index bad = problem.matrix.pattern.n / 2;
  const SparseMatrix a = support::with_bad_column(problem.matrix, bad);
  const SymbolicFactor whole = support::structure_of(a);
  for (const Index count : {2, 3, 4, 6}) {
    SampleRanks ranks(a, support::batched_graphs(whole, count, support::long_overhead), whole);
    EXPECT_EQ(ranks.run(), whole.permutation.new_of[bad]) << count << " ranks";
  }
}

}  // namespace
}  // namespace espalier::internal
