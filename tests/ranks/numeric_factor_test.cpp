// SPDX-License-Identifier: BSD-3-Clause

#include "solver/numeric_factor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <string>

#include "matrix/generators.hpp"
#include "matrix/sparse_matrix.hpp"
#include "ranks/whole.hpp"
#include "support/dense_cholesky.hpp"
#include "support/problems.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::factorize;
using support::for_each_plan;
using support::Runs;
using support::Whole;
using support::workers_here;

/// Compares the entries of this rank's tiles and panels with those of the whole factor.
void expect_part(const NumericFactor& factor, const LocalStructure& local, const Whole& whole,
                 const std::vector<double>& expected) {
  const SymbolicFactor& s = whole.symbolic();
  const auto& graph = factor.plan().graph;
  const auto compare = [&](Index panel, Index first_row, ConstMatrixView view) {
    const Index first = local.column[local.panel_begin[panel]];
    const auto at = std::upper_bound(s.panel_begin.begin(), s.panel_begin.end(), first);
    const auto p = static_cast<Index>(at - s.panel_begin.begin()) - 1;
    ASSERT_EQ(s.panel_begin[p], first);
    const ConstMatrixView l{expected.data() + s.value_begin[p], s.height(p), s.width(p),
                            s.height(p)};
    for (Index j = 0; j < view.columns; ++j) {
      for (Index i = std::max(0, j - first_row); i < view.rows; ++i) {
        ASSERT_TRUE(support::close(view(i, j), l(first_row + i, j), l(j, j) + 1, s.n));
      }
    }
  };
  for (std::size_t t = 0; t < graph.tiling.tile.size(); ++t) {
    const Tile& tile = graph.tiling.tile[t];
    if (owner_of(local, tile) != local.rank) continue;
    compare(tile.panel, tile.row_begin, factor.data()[t].as<double>());
  }
  for (std::size_t r = 0; r < graph.cut.groups.size(); ++r) {
    const auto& group = graph.cut.groups[r];
    const DataView& data = factor.data()[graph.group_data(static_cast<Index>(r))];
    const double* const values = data.as<double>().data;
    for (Index p = group.panel_begin; p < group.panel_end; ++p) {
      const Index height = local.height(p);
      compare(p, 0,
              {values + local.value_begin[p] - local.value_begin[group.panel_begin], height,
               local.width(p), height});
    }
  }
}

constexpr auto all_granularities = {Granularity::automatic, Granularity::panel, Granularity::tile,
                                    Granularity::block};

TEST(NumericFactorOnRanks, ComputesItsPartOfTheFactor) {
  Runs here;
  for (const char* spec : {"laplace3d:9", "irregular2d:700"}) {
    SCOPED_TRACE(spec);
    const Whole whole(generate_matrix(spec));
    const std::vector<double> expected = whole.factor();
    for_each_plan(whole, all_granularities, [&](const LocalStructure& local, FactorPlan plan) {
      NumericFactor factor = here.factor(whole, local, std::move(plan));
      for (int run = 0; run < 2; ++run) {
        factorize(factor, whole);
        expect_part(factor, local, whole, expected);
      }
    });
    if (HasFailure()) return;
  }
}

/// Returns L from the dense factorization, in the array of all panels.
std::vector<double> dense_factor(const Whole& whole) {
  const SymbolicFactor& s = whole.symbolic();
  const support::DenseMatrix l =
      support::dense_cholesky(support::permuted(whole.matrix(), s.permutation));
  std::vector<double> values(s.value_begin.back());
  for (Index p = 0; p < s.panels(); ++p) {
    const MatrixView panel{values.data() + s.value_begin[p], s.height(p), s.width(p), s.height(p)};
    const auto rows = s.rows(p);
    for (Index j = 0; j < panel.columns; ++j) {
      for (Index i = j; i < panel.rows; ++i) panel(i, j) = l(rows[i], s.panel_begin[p] + j);
    }
  }
  return values;
}

/// The smallest matrices have fewer panels than there are ranks.
TEST(NumericFactorOnRanks, ComputesItsPartOfSmallFactors) {
  Runs here;
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const Whole whole(problem.matrix);
    const std::vector<double> expected = dense_factor(whole);
    for_each_plan(whole, all_granularities, [&](const LocalStructure& local, FactorPlan plan) {
      NumericFactor factor = here.factor(whole, local, std::move(plan));
      factorize(factor, whole);
      expect_part(factor, local, whole, expected);
    });
    if (HasFailure()) return;
  }
}

/// All ranks return the column, and the next factorization succeeds.
TEST(NumericFactorOnRanks, FindsTheColumnThatFails) {
  const Communicator comm(MPI_COMM_WORLD);
  Runs here;
  const SparseMatrix good = generate_matrix("laplace3d:7");
  for (const Index bad : {0, 171}) {
    const SparseMatrix a = support::with_bad_column(good, bad);
    const Whole whole(a);
    for_each_plan(whole, all_granularities, [&](const LocalStructure& local, FactorPlan plan) {
      NumericFactor factor = here.factor(whole, local, std::move(plan));
      factor.submit_factorize(a.value.data());
      EXPECT_EQ(first_of_all(comm, local, factor.wait()), whole.symbolic().permutation.new_of[bad]);
      factor.submit_factorize(good.value.data());
      EXPECT_EQ(factor.wait(), -1);
    });
    if (HasFailure()) return;
  }
}

/// The buffer pool holds at most one group of each sort at a time, or as many groups as fit the
/// given space.
TEST(NumericFactorOnRanks, BoundsWhatComesAndGoes) {
  Runs here;
  const Whole whole(generate_matrix("laplace3d:12"));
  for (const Count pool : {0, 1 << 17}) {
    here.pool = pool;
    for_each_plan(whole, all_granularities, [&](const LocalStructure& local, FactorPlan plan) {
      NumericFactor factor = here.factor(whole, local, std::move(plan));
      factorize(factor, whole);
      const auto& graph = factor.plan().graph;
      const Count made = largest_group_bytes(graph, Message::Kind::begin);
      const Count received = largest_group_bytes(graph, Message::Kind::receive);
      EXPECT_EQ(factor.pool().bytes(), std::max(pool, made + received));
      EXPECT_GE(factor.pool().most_held(), std::max(made, received));
      EXPECT_LE(factor.pool().most_held(), factor.pool().bytes());
    });
  }
}

/// A rank with more entries of L than the others has less space for messages.
TEST(NumericFactorOnRanks, KeepsToWhatARankMayTake) {
  EXPECT_EQ(window_bytes({6000, 6000, 0, 0}, {}), 1000);
  EXPECT_EQ(window_bytes({6000, 6000, 100, 800}, {}), 800);
  EXPECT_EQ(window_bytes({6500, 6000, 100, 800}, {}), 300);
  EXPECT_EQ(window_bytes({7000, 6000, 100, 800}, {}), 0);
}

TEST(NumericFactorOnRanks, TakesMoreAmongMoreThanEightWorkers) {
  const RankBytes kept{6000, 6000, 100, 800};
  TaskGraph graph;
  graph.message.assign(100, {.kind = Message::Kind::receive, .data = 0, .group_bytes = 500});
  EXPECT_EQ(window_bytes(kept, graph, {8, 8}), 800);
  EXPECT_EQ(window_bytes(kept, graph, {2, 16}), 2000);
  EXPECT_EQ(window_bytes(kept, graph, {9, 9}), 9000);
  EXPECT_EQ(window_bytes(kept, graph, {24, 24}), 18000);
  const Count others = predicted_peak_bytes(kept, 0);
  EXPECT_EQ(window_bytes(kept, graph, {9, 9}, others + 5000), 5000);
  EXPECT_EQ(window_bytes(kept, graph, {9, 9}, others + 1), 500) << "the largest group fits";
  graph.message.resize(3);
  EXPECT_EQ(window_bytes(kept, graph, {9, 9}), 1500) << "no more data pass through the pool";
}

/// The prediction includes everything that the pool must leave free, so that a limit of exactly
/// the prediction suffices.
TEST(NumericFactorOnRanks, LeavesSpaceForOtherMemory) {
  RankBytes kept{6000, 6000, 100, 800};
  TaskGraph graph;
  graph.message.assign(100, {.kind = Message::Kind::receive, .data = 0, .group_bytes = 500});
  const Count limit = predicted_peak_bytes(kept, 5000);
  kept.beside = 3000;
  const Count pool = window_bytes(kept, graph, {9, 9}, limit);
  EXPECT_EQ(pool, 2000);
  EXPECT_EQ(predicted_peak_bytes(kept, pool), limit);
}

TEST(NumericFactorOnRanks, FactorsUnderEveryPolicy) {
  const Whole whole(generate_matrix("laplace2d:20"));
  const std::vector<double> expected = whole.factor();
  const LocalStructure local = whole.part(Mapping::proportional);
  support::for_each_policy([&](Runs& here) {
    NumericFactor factor =
        here.factor(whole, local, plan_factorization(local, {.workers = workers_here()}));
    factorize(factor, whole);
    expect_part(factor, local, whole, expected);
  });
}

/// Right-hand sides with known solutions, in the numbering of A.
struct Vectors {
  Vectors(const SparseMatrix& a, Index count)
      : x(support::random_vector(static_cast<std::size_t>(a.pattern.n) * count, 5)), b(x.size()) {
    multiply(a, x, b, count);
  }
  std::vector<double> x;
  std::vector<double> b;
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Solves on all ranks, and compares the part of the solution on this rank.
void expect_solution(NumericFactor& factor, const LocalStructure& local, const Whole& whole,
                     Index count, double condition) {
  const Index n = whole.symbolic().n;
  const Vectors given(whole.matrix(), count);
  const auto& old_of = whole.symbolic().permutation.old_of;
  std::vector<double> b(static_cast<std::size_t>(local.n) * count, not_a_number);
  std::vector<double> x(b);
  std::vector<double> expected;
  const auto for_each_kept = [&](auto visit) {
    for (Index p = 0; p < local.panels(); ++p) {
      if (local.owner(p, p) != local.rank) continue;
      for (Index j = local.panel_begin[p]; j < local.panel_begin[p + 1]; ++j) {
        for (Count r = 0; r < count; ++r) visit(r * local.n + j, r * n + old_of[local.column[j]]);
      }
    }
  };
  for_each_kept([&](Count here, Count there) { b[here] = given.b[there]; });
  factor.submit_solve({b.data(), x.data(), count});
  factor.wait();
  std::vector<double> actual;
  for_each_kept([&](Count here, Count there) {
    actual.push_back(x[here]);
    expected.push_back(given.x[there]);
  });
  EXPECT_TRUE(support::close(actual, expected, n, condition));
}

/// Calls visit(structure, factor) for all mappings and these granularities.
template <class Visit>
void for_each_factor(Runs& here, const Whole& whole,
                     std::initializer_list<Granularity> granularities, Visit visit) {
  support::for_each_plan(whole, granularities, [&](const LocalStructure& local, FactorPlan plan) {
    NumericFactor factor = here.factor(whole, local, std::move(plan));
    support::factorize(factor, whole);
    visit(local, factor);
  });
}

TEST(NumericFactorOnRanks, SolvesForAnyNumberOfRightHandSides) {
  Runs here;
  for (const char* spec : {"laplace3d:7", "irregular2d:500"}) {
    SCOPED_TRACE(spec);
    const Whole whole(generate_matrix(spec));
    for_each_factor(here, whole, {Granularity::panel, Granularity::tile, Granularity::block},
                    [&](const LocalStructure& local, NumericFactor& factor) {
                      for (const Index count : {1, 64})
                        expect_solution(factor, local, whole, count, 1000);
                    });
    if (HasFailure()) return;
  }
}

/// The smallest matrices have fewer panels than there are ranks.
TEST(NumericFactorOnRanks, SolvesSmallProblems) {
  Runs here;
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const Whole whole(problem.matrix);
    const auto a = support::permuted(problem.matrix, Permutation::identity(whole.symbolic().n));
    const double condition = support::condition(a, support::dense_cholesky(a));
    for_each_factor(here, whole, {Granularity::tile},
                    [&](const LocalStructure& local, NumericFactor& factor) {
                      expect_solution(factor, local, whole, 2, condition);
                    });
    if (HasFailure()) return;
  }
}

TEST(NumericFactorOnRanks, SolvesUnderEveryPolicy) {
  const Whole whole(generate_matrix("laplace2d:12"));
  const LocalStructure local = whole.part(Mapping::proportional);
  support::for_each_policy([&](Runs& here) {
    NumericFactor factor =
        here.factor(whole, local, plan_factorization(local, {.workers = workers_here()}));
    support::factorize(factor, whole);
    expect_solution(factor, local, whole, 2, 1000);
  });
}

}  // namespace
}  // namespace espalier::internal
