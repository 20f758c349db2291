// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/factor_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "runtime/sample_factor.hpp"
#include "runtime/sample_orders.hpp"
#include "runtime/sample_ranks.hpp"
#include "support/dense_cholesky.hpp"
#include "support/divisions.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::Edges;
using support::edges_of;
using support::SampleFactor;
using support::shuffled;

template <class EdgesOf>
void expect_same_factor_in_any_order(EdgesOf edges) {
  std::mt19937_64 generator(1);
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        SampleFactor factor(problem.matrix, share, granularity);
        const std::vector<double> expected = factor.run();
        for (int run = 0; run < 3; ++run) {
          const TaskList list = shuffled(factor.list(), edges(factor), generator);
          EXPECT_TRUE(support::close(factor.run(list), expected, factor.symbolic().n));
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// The operations of a task match its flops. Their sum does not depend on the division of panels.
TEST(FactorTasks, CountTheOperationsOfEachTask) {
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        const SampleFactor factor(problem.matrix, share, granularity);
        OperationCounts all;
        for (const BoundTask& task : factor.list().task) {
          const OperationCounts counts = task.type->operations(*task.arguments, task.shape);
          double flops = 0;
          for (const auto& done : counts.done) flops += done.flops;
          if (task.shape.kind != TaskKind::reduce && task.shape.kind != TaskKind::fill) {
            EXPECT_NEAR(flops, task.shape.flops, 1e-9 * flops) << name_of(task.shape.kind);
          }
          all += counts;
        }
        const PanelStructure& structure = factor.symbolic();
        const OperationCounts whole = operations_inside(structure, 0, structure.panels());
        EXPECT_EQ(all.of(Operation::potrf).count, structure.panels());
        EXPECT_EQ(all.of(Operation::syrk).count, whole.of(Operation::syrk).count);
        for (const Operation operation : {Operation::trsm, Operation::gemm}) {
          const double flops = whole.of(operation).flops;
          EXPECT_NEAR(all.of(operation).flops, flops, 1e-9 * flops);
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(FactorTasks, GiveTheSameFactorInAnyOrderThatTheGraphAllows) {
  expect_same_factor_in_any_order([](const SampleFactor& f) { return edges_of(f.graph()); });
}

TEST(FactorTasks, GiveTheSameFactorInAnyOrderThatTheAccessesAllow) {
  expect_same_factor_in_any_order([](const SampleFactor& f) { return edges_of(f.list()); });
}

/// The accesses of tasks must imply every dependency of the graph.
TEST(FactorTasks, AccessesImplyEveryEdgeOfTheGraph) {
  for (const auto& problem : support::small_matrices()) {
    for (const Granularity granularity : support::granularities) {
      SampleFactor factor(problem.matrix, 0.1, granularity);
      const Edges allowed = edges_of(factor.list());
      std::vector<std::set<Index>> reach(allowed.size());
      for (std::size_t t = allowed.size(); t-- > 0;) {
        for (const Index next : allowed[t]) {
          reach[t].insert(next);
          reach[t].insert(reach[next].begin(), reach[next].end());
        }
        for (const Index next : factor.graph().successors(static_cast<Index>(t))) {
          EXPECT_TRUE(reach[t].contains(next)) << problem.name << ": " << t << " -> " << next;
        }
      }
    }
  }
}

TEST(FactorTasks, CarryTheShapeAndPriorityOfTheirTask) {
  SampleFactor factor(support::small_matrices().back().matrix, 0.1, Granularity::tile);
  ASSERT_EQ(std::ssize(factor.list().task), factor.graph().size());
  for (Index t = 0; t < factor.graph().size(); ++t) {
    const Task& task = factor.graph().task[t];
    const BoundTask& bound = factor.list().task[t];
    EXPECT_EQ(bound.shape.kind, task.kind);
    EXPECT_EQ(bound.shape.flops, task.flops);
    EXPECT_EQ(bound.shape.seconds, task.seconds);
    EXPECT_EQ(bound.shape.path, task.priority);
    EXPECT_FALSE(factor.list().accesses(bound).empty());
    EXPECT_GE(bound.shape.row, bound.shape.column);
    if (task.target < 0) continue;
    EXPECT_EQ(bound.shape.column, factor.graph().tiling.tile[task.target].panel);
  }
}

/// Every dependency leads to a later l-partition or stays in its w-partition. Schedules with
/// barriers rely on this.
TEST(FactorTasks, LeadToLaterLPartitionsOrStayInTheirWPartition) {
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        const SampleFactor factor(problem.matrix, share, granularity);
        for (Index t = 0; t < factor.graph().size(); ++t) {
          const Shape& shape = factor.list().task[t].shape;
          EXPECT_GE(shape.w_partition, 0);
          EXPECT_EQ(shape.l_partition, factor.graph().levels.l_partition[shape.level]);
          EXPECT_TRUE(factor.graph().task[t].group < 0 || shape.level == 0) << t;
          for (const Index next : factor.graph().successors(t)) {
            const Shape& later = factor.list().task[next].shape;
            EXPECT_LE(shape.level, later.level);
            if (shape.l_partition < later.l_partition) continue;
            EXPECT_EQ(shape.w_partition, later.w_partition) << t << " -> " << next;
          }
        }
      }
    }
  }
}

}  // namespace
namespace {

using support::DenseMatrix;
using support::SampleRanks;

template <class Visit>
void for_each_division(const SymbolicFactor& whole, Visit visit,
                       const support::PlanOffload& offload = {}) {
  const Fill fill = offload ? Fill::by_tasks : Fill::by_first_writer;
  for (const Index ranks : {1, 2, 3, 4, 5}) {
    for (const Mapping mapping : support::mappings) {
      for (const Granularity granularity : support::granularities) {
        const double share = granularity == Granularity::block ? 0.0 : 0.1;
        SCOPED_TRACE("ranks " + std::to_string(ranks) + ", mapping " +
                     std::to_string(static_cast<int>(mapping)) + ", granularity " +
                     std::to_string(static_cast<int>(granularity)));
        visit(support::rank_graphs(whole, ranks, mapping, share, granularity, fill, offload));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Expects that every entry of L is on one rank, and equals the dense factorization.
void expect_factor(const support::PlanOffload& offload) {
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const SymbolicFactor whole = support::structure_of(problem.matrix);
    const DenseMatrix l =
        support::dense_cholesky(support::permuted(problem.matrix, whole.permutation));
    for_each_division(
        whole,
        [&](support::RankGraphs graphs) {
          SampleRanks ranks(problem.matrix, std::move(graphs), whole);
          ASSERT_EQ(ranks.run(), -1);
          ranks.expect_factor(whole, l);
        },
        offload);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RankData, HoldTheFactorTogether) { expect_factor({}); }

/// All ranks have random offload plans.
TEST(RankData, HoldTheFactorTogetherWithShadows) {
  std::mt19937_64 generator(11);
  expect_factor(support::random_offloads(generator));
}

/// The same column is found, whatever rank detects it. All other ranks reach their ends.
TEST(RankData, FindTheColumnThatFails) {
  const support::NamedMatrix problem = support::small_matrices().back();
  const Index bad = problem.matrix.pattern.n / 2;
  const SparseMatrix a = support::with_bad_column(problem.matrix, bad);
  const SymbolicFactor whole = support::structure_of(a);
  for_each_division(whole, [&](support::RankGraphs graphs) {
    EXPECT_EQ(SampleRanks(a, std::move(graphs), whole).run(), whole.permutation.new_of[bad]);
  });
}

/// A rank stores its part of L, but not the data that it receives.
TEST(RankData, TakeTheMemoryOfTheirPart) {
  for (const auto& sample : support::sample_structures()) {
    for_each_division(sample.symbolic, [&](const support::RankGraphs& all) {
      Count sum = 0;
      Count tiles = 0;
      for (std::size_t r = 0; r < all.graph.size(); ++r) {
        sum += stored_entries(all.local[r], all.graph[r]);
        tiles += std::ssize(all.graph[r].tiling.tile);
      }
      Count due = 0;
      for (Index p = 0; p < sample.symbolic.panels(); ++p) {
        due += static_cast<Count>(sample.symbolic.height(p)) * sample.symbolic.width(p);
      }
      EXPECT_GE(sum, due);
      EXPECT_LE(sum, due + 8 * (tiles + sample.symbolic.panels()));
    });
  }
}

/// The parts outside of groups contain all tiles that the rank stores, and no entry of a group.
/// Devices use only tiles from these parts.
TEST(RankData, HaveAllTilesAndNoGroupInTheirPartsOutsideOfGroups) {
  Count groups = 0;
  for (const auto& sample : support::sample_structures()) {
    for_each_division(sample.symbolic, [&](const support::RankGraphs& all) {
      for (std::size_t r = 0; r < all.graph.size(); ++r) {
        const TaskGraph& graph = all.graph[r];
        std::vector<double> values(stored_entries(all.local[r], graph));
        const auto parts = outside_of_groups(all.local[r], graph, values);
        const auto data = data_in_array(all.local[r], graph, values.data());
        const auto holds = [](std::span<double> part, const MatrixView& view) {
          const double* const end = view.data + (view.columns - 1) * view.ld + view.rows;
          return view.data >= part.data() && end <= part.data() + part.size();
        };
        const auto is_in_a_part = [&](const MatrixView& view) {
          return std::ranges::any_of(parts, [&](auto part) { return holds(part, view); });
        };
        for (std::size_t t = 0; t < graph.tiling.tile.size(); ++t) {
          if (data[t].data >= values.data() && data[t].data < values.data() + values.size()) {
            EXPECT_TRUE(is_in_a_part(data[t]));
          }
        }
        for (std::size_t g = 0; g < graph.cut.groups.size(); ++g) {
          const MatrixView& group = data[graph.tiling.tile.size() + g];
          const MatrixView first{group.data, 1, 1, 1};
          const MatrixView last{group.data + group.rows - 1, 1, 1, 1};
          EXPECT_FALSE(is_in_a_part(first) || is_in_a_part(last));
          ++groups;
        }
      }
    });
  }
  EXPECT_GT(groups, 0);
}

}  // namespace
}  // namespace espalier::internal
