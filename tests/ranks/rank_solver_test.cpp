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

/// Calls visit(structure, factor) with a factor for both mappings and these granularities.
template <class Visit>
void for_each_factor(Runs& here, const Whole& whole,
                     std::initializer_list<Granularity> granularities, Visit visit) {
  support::for_each_plan(whole, granularities, [&](const LocalStructure& local, FactorPlan plan) {
    RankFactor factor = here.factor(whole, local, std::move(plan));
    support::factorize(factor, whole);
    visit(local, factor);
  });
}

TEST(RankSolver, SolvesForAnyNumberOfRightHandSides) {
  Runs here;
  for (const char* spec : {"laplace3d:7", "irregular2d:500"}) {
    SCOPED_TRACE(spec);
    const Whole whole(generate_matrix(spec));
    for_each_factor(here, whole, {Granularity::panel, Granularity::tile, Granularity::block},
                    [&](const LocalStructure& local, RankFactor& factor) {
                      RankSolver solver = here.solver(local, factor);
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
                      RankSolver solver = here.solver(local, factor);
                      expect_solution(solver, local, whole, 2, condition);
                    });
    if (HasFailure()) return;
  }
}

TEST(RankSolver, RunsUnderEveryPolicy) {
  const Whole whole(generate_matrix("laplace2d:12"));
  const LocalStructure local = whole.part(Mapping::proportional);
  support::for_each_policy([&](Runs& here) {
    RankFactor factor =
        here.factor(whole, local, plan_rank(local, workers_here(), {}, KernelCost{}));
    support::factorize(factor, whole);
    RankSolver solver = here.solver(local, factor);
    expect_solution(solver, local, whole, 2, 1000);
  });
}

}  // namespace
}  // namespace espalier
