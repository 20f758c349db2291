// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/distribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "distributed/values_of_part.hpp"
#include "espalier/error.hpp"
#include "matrix/generators.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using testing::ContainerEq;

/// A problem that every rank generates to know the expected data. Only the root's copy is
/// distributed.
struct Problem {
  explicit Problem(SparseMatrix matrix) : a(std::move(matrix)) {}

  SparseMatrix a;
  SymbolicFactor symbolic = support::structure_of(a);
  KernelCost cost;

  Distribution::Whole whole(Mapping mapping) const {
    return {symbolic, a.pattern, cost, mapping, nullptr, true, 1};
  }
};

/// Calls visit(comm, problem, division, distribution). Every rank makes the division.
template <class Visit>
void for_each_distribution(Visit visit) {
  const Communicator comm(MPI_COMM_WORLD);
  std::vector<Problem> problems;
  for (const char* spec : {"laplace2d:20", "elasticity3d:3x3x3", "irregular2d:500"}) {
    problems.emplace_back(generate_matrix(spec));
  }
  problems.emplace_back(support::tridiagonal(3));
  problems.emplace_back(support::dense_random(40, 1));
  problems.emplace_back(support::identity(12));
  for (const Problem& problem : problems) {
    for (const Mapping mapping : support::mappings) {
      const Distribution::Whole whole = problem.whole(mapping);
      Distribution distribution(comm, comm.is_root() ? &whole : nullptr);
      visit(comm, problem, RankDivision(whole, comm.size()), distribution);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Distribution, LetsEachRankMakeItsPart) {
  for_each_distribution([](const auto& comm, const Problem& problem, const auto& division,
                           const Distribution& distribution) {
    const RankPart expected = rank_part(
        division.domain(comm.rank()), division.shared(),
        support::places_of_part(division, comm.rank(), problem.a.pattern), comm.rank(), true);
    const RankPart& part = distribution.part();
    EXPECT_NO_THROW(check(part.structure));
    EXPECT_EQ(part.structure.n, expected.structure.n);
    EXPECT_EQ(part.structure.rank, comm.rank());
    EXPECT_EQ(part.structure.ranks, comm.size());
    EXPECT_EQ(part.structure.shared_begin, expected.structure.shared_begin);
    EXPECT_THAT(part.structure.row, ContainerEq(expected.structure.row));
    EXPECT_THAT(part.structure.column, ContainerEq(expected.structure.column));
    EXPECT_THAT(part.structure.value_begin, ContainerEq(expected.structure.value_begin));
    EXPECT_THAT(part.structure.boundary_row, ContainerEq(expected.structure.boundary_row));
    EXPECT_EQ(part.structure.boundary, expected.structure.boundary);
    for (Index p = expected.structure.shared_begin; p < expected.structure.panels(); ++p) {
      EXPECT_EQ(part.structure.owner(p, p), expected.structure.owner(p, p));
    }
    EXPECT_THAT(part.original, ContainerEq(expected.original));
    EXPECT_THAT(part.entries.begin, ContainerEq(expected.entries.begin));
    EXPECT_EQ(part.entries.entry, expected.entries.entry);
  });
}

TEST(Distribution, TellsAllRanksOfTheWhole) {
  for_each_distribution([](const auto& comm, const Problem& problem, const auto& division,
                           const Distribution& distribution) {
    const Distribution::Facts& facts = distribution.facts();
    EXPECT_EQ(facts.n, problem.a.pattern.n);
    EXPECT_DOUBLE_EQ(facts.memory_imbalance, division.imbalance().entries);
    EXPECT_DOUBLE_EQ(facts.work_imbalance, division.imbalance().seconds);
    if (comm.size() == 1) {
      EXPECT_EQ(facts.blocks, std::ssize(problem.symbolic.block));
    }
    EXPECT_EQ(comm.gather_from_all(facts.blocks),
              std::vector<Count>(static_cast<std::size_t>(comm.size()), facts.blocks));
  });
}

TEST(Distribution, ScattersValuesAgainAndAgainToOnePlace) {
  for_each_distribution([](const auto& comm, const Problem& problem, const auto& division,
                           Distribution& distribution) {
    const double* const place = distribution.values().data();
    for (const double factor : {1.0, 3.0}) {
      SparseMatrix a = problem.a;
      for (double& value : a.value) value *= factor;
      const SparseMatrixView view(a);
      distribution.scatter(comm.is_root() ? &view : nullptr);
      EXPECT_EQ(distribution.values().data(), place);
      EXPECT_THAT(std::vector<double>(distribution.values().begin(), distribution.values().end()),
                  ContainerEq(support::values_of_part(division, comm.rank(), a)));
    }
  });
}

/// Returns the part with every `step`th column from the first one on.
MatrixPart every_nth_column(const SparseMatrix& a, Index first, Index step) {
  std::vector<MatrixPart::Entry> entries;
  for (Index j = first; j < a.pattern.n; j += step) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      entries.push_back({a.pattern.row[k], j, a.value[k]});
    }
  }
  return make_part(a.pattern.n, std::move(entries));
}

TEST(Distribution, TakesValuesFromPartsToTheSamePlaces) {
  for_each_distribution([](const auto& comm, const Problem& problem, const auto& division,
                           Distribution& distribution) {
    const MatrixPart part = every_nth_column(problem.a, comm.rank(), comm.size());
    const ValueRoutes routes = distribution.routes_from(part);
    for (const double factor : {1.0, 3.0}) {
      SparseMatrix a = problem.a;
      for (double& value : a.value) value *= factor;
      distribution.scatter(routes, every_nth_column(a, comm.rank(), comm.size()));
      EXPECT_THAT(std::vector<double>(distribution.values().begin(), distribution.values().end()),
                  ContainerEq(support::values_of_part(division, comm.rank(), a)));
    }
  });
}

TEST(Distribution, ThrowsOnAllRanksWhatTheRootThrows) {
  const Communicator comm(MPI_COMM_WORLD);
  const Problem problem(support::tridiagonal(30));
  const BlockGrid wrong{7, 3};
  Distribution::Whole whole = problem.whole(Mapping::block_cyclic);
  whole.cells = &wrong;
  EXPECT_THROW(Distribution(comm, comm.is_root() ? &whole : nullptr), UsageError);
}

}  // namespace
}  // namespace espalier::internal
