// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_solver.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <string>

#include "matrix/generators.hpp"
#include "matrix/norms.hpp"
#include "ranks/whole.hpp"
#include "support/dense_cholesky.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

using support::Runs;
using support::Whole;
using support::workers_here;

/// Right-hand sides whose solutions are known, in the numbering of A.
struct Vectors {
  Vectors(const SparseMatrix& a, Index count)
      : x(support::random_vector(static_cast<std::size_t>(a.pattern.n) * count, 5)), b(x.size()) {
    multiply(a, x, b, count);
  }
  std::vector<double> x;
  std::vector<double> b;
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Solves on all ranks and compares what this one keeps.
void expect_solution(RankSolver& solver, const LocalStructure& local, const Whole& whole,
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
  solver.submit_solve({b.data(), x.data(), count});
  solver.wait();
  std::vector<double> actual;
  for_each_kept([&](Count here, Count there) {
    actual.push_back(x[here]);
    expected.push_back(given.x[there]);
  });
  EXPECT_TRUE(support::close(actual, expected, n, condition));
}

/// Calls visit(structure, factor) with a factor for both mappings and some granularities.
template <class Visit>
void for_each_factor(Runs& here, const Whole& whole,
                     std::initializer_list<Granularity> granularities, Visit visit) {
  for (const Mapping mapping : {Mapping::proportional, Mapping::block_cyclic}) {
    const LocalStructure local = whole.part(mapping);
    for (const Granularity granularity : granularities) {
      SCOPED_TRACE("mapping " + std::to_string(static_cast<int>(mapping)) + ", granularity " +
                   std::to_string(static_cast<int>(granularity)));
      RankFactor factor(
          here.starpu, here.messenger, local, whole.entries(local),
          plan_rank(local, workers_here(), {.granularity = granularity}, KernelCost{}), false);
      factor.submit_factorize(whole.matrix().value.data());
      ASSERT_EQ(factor.wait(), -1);
      visit(local, factor);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(RankSolver, SolvesForAnyNumberOfRightHandSides) {
  Runs here;
  for (const char* spec : {"laplace3d:7", "irregular2d:500"}) {
    SCOPED_TRACE(spec);
    const Whole whole(generate_matrix(spec));
    for_each_factor(here, whole, {Granularity::panel, Granularity::tile, Granularity::block},
                    [&](const LocalStructure& local, RankFactor& factor) {
                      RankSolver solver(here.starpu, here.messenger, local, factor, KernelCost{});
                      for (const Index count : {1, 64})
                        expect_solution(solver, local, whole, count, 1000);
                    });
    if (HasFailure()) return;
  }
}

/// The smallest of the matrices have fewer panels than there are ranks.
TEST(RankSolver, SolvesSmallProblems) {
  Runs here;
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const Whole whole(problem.matrix);
    const auto a = support::permuted(problem.matrix, Permutation::identity(whole.symbolic().n));
    const double condition = support::condition(a, support::dense_cholesky(a));
    for_each_factor(here, whole, {Granularity::tile},
                    [&](const LocalStructure& local, RankFactor& factor) {
                      RankSolver solver(here.starpu, here.messenger, local, factor, KernelCost{});
                      expect_solution(solver, local, whole, 2, condition);
                    });
    if (HasFailure()) return;
  }
}

/// Solves one after another, without a wait between them.
TEST(RankSolver, SendsWhatItsStepsSay) {
  Runs here;
  const Whole whole(generate_matrix("laplace3d:7"));
  for_each_factor(
      here, whole, {Granularity::tile}, [&](const LocalStructure& local, RankFactor& factor) {
        RankSolver solver(here.starpu, here.messenger, local, factor, KernelCost{});
        const SharedSolve shared =
            build_shared_solve(local, factor.plan().graph.tiling, solve_tile_entries);
        Traffic expected = here.messenger.traffic();
        constexpr Index columns[] = {2, 2, 5};
        for (const Index count : columns) {
          for (const auto* steps : {&shared.forward, &shared.backward}) {
            for (const auto& step : *steps) {
              const Count bytes =
                  Count{sizeof(double)} * count * local.width(shared.segment[step.segment].panel);
              if (step.action == SharedSolve::Action::send) {
                ++expected.messages_sent;
                expected.bytes_sent += bytes;
              } else if (step.action == SharedSolve::Action::receive) {
                ++expected.messages_received;
                expected.bytes_received += bytes;
              }
            }
          }
        }
        std::vector<double> b(static_cast<std::size_t>(local.n) * 5, 1.0);
        std::vector<double> x(b);
        for (const Index count : columns) solver.submit_solve({b.data(), x.data(), count});
        solver.wait();
        const Traffic traffic = here.messenger.traffic();
        EXPECT_EQ(traffic.messages_sent, expected.messages_sent);
        EXPECT_EQ(traffic.messages_received, expected.messages_received);
        EXPECT_EQ(traffic.bytes_sent, expected.bytes_sent);
        EXPECT_EQ(traffic.bytes_received, expected.bytes_received);
      });
}

TEST(RankSolver, RunsUnderEveryPolicy) {
  const Whole whole(generate_matrix("laplace2d:12"));
  const LocalStructure local = whole.part(Mapping::proportional);
  for (const char* policy : {"eager", "lws", "fanout", "ktq", "levelset", "hlevelset"}) {
    SCOPED_TRACE(policy);
    Runs here(policy);
    RankFactor factor(here.starpu, here.messenger, local, whole.entries(local),
                      plan_rank(local, workers_here(), {}, KernelCost{}), false);
    factor.submit_factorize(whole.matrix().value.data());
    ASSERT_EQ(factor.wait(), -1);
    RankSolver solver(here.starpu, here.messenger, local, factor, KernelCost{});
    expect_solution(solver, local, whole, 2, 1000);
  }
}

}  // namespace
}  // namespace espalier
