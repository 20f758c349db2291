// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/rank_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "matrix/generators.hpp"
#include "matrix/sparse_matrix.hpp"
#include "ranks/whole.hpp"
#include "solver/blocked_solve.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::Runs;
using support::Whole;
using support::workers_here;

RankPart part_of(const Whole& whole, Mapping mapping) {
  RankPart part;
  part.structure = whole.part(mapping);
  part.entries = whole.entries(part.structure);
  for (const Index j : part.structure.column) {
    part.original.push_back(whole.symbolic().permutation.old_of[j]);
  }
  return part;
}

/// Calls visit(whole, part, vectors) for some matrices and all mappings.
template <class Visit>
void for_each_part(const Communicator& comm, Visit visit) {
  for (const char* spec : {"laplace3d:7", "irregular2d:500", "laplace2d:2", "laplace2d:1"}) {
    const Whole whole(generate_matrix(spec));
    for (const Mapping mapping : support::mappings) {
      SCOPED_TRACE(std::string(spec) + ", mapping " + std::to_string(static_cast<int>(mapping)));
      const RankPart part = part_of(whole, mapping);
      visit(whole, part, RankVectors(comm, part));
      if (testing::Test::HasFailure()) return;
    }
  }
}

std::vector<double> on_root(const Communicator& comm, std::vector<double> values) {
  return comm.is_root() ? std::move(values) : std::vector<double>();
}

TEST(RankVectors, ComeBackAsTheyWere) {
  const Communicator comm(MPI_COMM_WORLD);
  for_each_part(comm, [&](const Whole& whole, const RankPart& part, const RankVectors& vectors) {
    const auto n = static_cast<std::size_t>(whole.symbolic().n);
    for (const Index count : {1, 3}) {
      const auto given = on_root(comm, support::random_vector(n * count, 3));
      const std::vector<double> local = vectors.scatter(given, count);
      EXPECT_EQ(local.size(), static_cast<std::size_t>(part.structure.n) * count);
      EXPECT_EQ(vectors.gather(local, count), given);
    }
  });
}

TEST(RankVectors, SpreadsWhatTheOthersKeep) {
  const Communicator comm(MPI_COMM_WORLD);
  for_each_part(comm, [&](const Whole& whole, const RankPart& part, const RankVectors& vectors) {
    const auto n = static_cast<std::size_t>(whole.symbolic().n);
    const std::vector<double> all = support::random_vector(n * 2, 3);
    std::vector<double> local = vectors.scatter(on_root(comm, all), 2);
    vectors.spread_shared(local, 2);
    for (Index r = 0; r < 2; ++r) {
      for (Index j = 0; j < part.structure.n; ++j) {
        EXPECT_EQ(local[vectors.entries(r) + j], all[r * n + part.original[j]]);
      }
    }
  });
}

TEST(RankVectors, FindTheLargestAndWhatIsNoNumber) {
  const Communicator comm(MPI_COMM_WORLD);
  const RankPart part = part_of(Whole(generate_matrix("laplace2d:2")), Mapping::proportional);
  const RankVectors vectors(comm, part);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values{1.0 + comm.rank(), 3, comm.rank() + 1 == comm.size() ? nan : 7};
  vectors.find_largest(values);
  EXPECT_EQ(values[0], comm.size());
  EXPECT_EQ(values[1], 3);
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(RankMatrix, HasTheNormAndTheResidualOfTheWhole) {
  const Communicator comm(MPI_COMM_WORLD);
  for_each_part(comm, [&](const Whole& whole, const RankPart& part, const RankVectors& vectors) {
    const RankMatrix a(part.structure, part.entries, vectors, whole.matrix().value);
    const auto n = static_cast<std::size_t>(whole.symbolic().n);
    const double norm = norm_inf(whole.matrix());
    EXPECT_TRUE(support::close(a.norm_inf(), norm, norm, whole.symbolic().n));
    const std::vector<double> x = support::random_vector(n * 5, 3);
    const std::vector<double> b = support::random_vector(n * 5, 4);
    std::vector<double> r(b.size());
    residual(whole.matrix(), x, b, r, 5);
    std::vector<double> local_x = vectors.scatter(on_root(comm, x), 5);
    const std::vector<double> local_b = vectors.scatter(on_root(comm, b), 5);
    std::vector<double> local_r(local_b.size());
    a.residual(local_b, local_x, local_r, 5);
    const std::vector<double> whole_r = vectors.gather(local_r, 5);
    if (comm.is_root()) {
      EXPECT_TRUE(support::close(whole_r, r, whole.symbolic().n, norm));
    }
    double worst = 0;
    for (std::size_t c = 0; c < 5; ++c) {
      const auto column = [&](const std::vector<double>& of) {
        return std::span(of).subspan(c * n, n);
      };
      worst = std::max(worst, backward_error(norm, column(x), column(b), column(r)));
    }
    EXPECT_TRUE(support::close(a.backward_error(norm, local_x, local_b, local_r, 5), worst, 1,
                               whole.symbolic().n));
  });
}

/// The result of a solve. Only the root has x.
struct RankSolution : Refined {
  std::vector<double> x;
};

/// Solves for a block of the root's right-hand sides.
RankSolution solve_on_ranks(NumericFactor& factor, const RankMatrix& a, const RankVectors& vectors,
                            const Communicator& comm, std::span<const double> whole, Index count,
                            Index steps) {
  const std::vector<double> b = vectors.scatter(whole, count);
  std::vector<double> x(b.size());
  std::vector<double> r(b.size());
  RankSystem system(comm, factor, a, vectors);
  const Refined refined = solve_block(system, system.norm(), {b, x, r}, count, steps, false);
  return {refined, vectors.gather(x, count)};
}

TEST(SolveOnRanks, GivesTheRootWhatItAskedFor) {
  Runs here;
  const Communicator comm(MPI_COMM_WORLD);
  for_each_part(comm, [&](const Whole& whole, const RankPart& part, const RankVectors& vectors) {
    NumericFactor factor = here.factor(
        whole, part.structure, plan_factorization(part.structure, {.workers = workers_here()}));
    support::factorize(factor, whole);
    const RankMatrix a(part.structure, part.entries, vectors, whole.matrix().value);
    const double norm = a.norm_inf();
    const auto n = static_cast<std::size_t>(whole.symbolic().n);
    for (const Index count : {1, 3, 64}) {
      const auto b = on_root(comm, support::random_vector(n * count, 4));
      const RankSolution solution = solve_on_ranks(factor, a, vectors, comm, b, count, 2);
      EXPECT_LT(solution.backward_error, 1e-14);
      EXPECT_EQ(solution.x.size(), b.size());
      if (!comm.is_root()) continue;
      std::vector<double> r(b.size());
      const double error = residual_error(whole.matrix(), norm, solution.x, b, r, count);
      EXPECT_LT(error, 1e-14);
    }
  });
}

/// The factor of another matrix gives a poor first solution, which refinement improves.
TEST(SolveOnRanks, RefinesWhatIsNotGoodEnough) {
  Runs here;
  const Communicator comm(MPI_COMM_WORLD);
  for_each_part(comm, [&](const Whole& whole, const RankPart& part, const RankVectors& vectors) {
    NumericFactor factor = here.factor(
        whole, part.structure, plan_factorization(part.structure, {.workers = workers_here()}));
    std::vector<double> near = whole.matrix().value;
    for (double& value : near) value *= 1 + 1e-4;
    factor.submit_factorize(near.data());
    ASSERT_EQ(factor.wait(), -1);
    const RankMatrix a(part.structure, part.entries, vectors, whole.matrix().value);
    const auto b =
        on_root(comm, support::random_vector(static_cast<std::size_t>(whole.symbolic().n) * 2, 4));
    double last = 1;
    for (const Index steps : {0, 1, 2}) {
      const RankSolution solution = solve_on_ranks(factor, a, vectors, comm, b, 2, steps);
      EXPECT_EQ(solution.steps, steps);
      EXPECT_LT(solution.backward_error, 1e-3 * last);
      last = solution.backward_error;
    }
  });
}

}  // namespace
}  // namespace espalier::internal
