// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "espalier/mpi.hpp"
#include "ranks/whole.hpp"
#include "schedulers/registry.hpp"
#include "solver/sample_solver.hpp"
#include "support/tolerance.hpp"

/// Several ranks give the same answers as one.
namespace espalier::internal {
namespace {

using support::rank_here;
using support::ranks_here;

constexpr Index right_hand_sides = 3;

/// The data of the root: a matrix, vectors, and the answer of a solver without MPI.
struct Question {
  explicit Question(const std::string& spec, const std::string& ordering = "amd") {
    if (rank_here() != 0) return;
    matrix = Matrix::load(spec);
    analysis = support::analysis_of(*matrix, ordering);
    b = support::random_vector(static_cast<std::size_t>(matrix->size()) * right_hand_sides, 3);
  }

  void answer_alone() {
    if (!matrix) return;
    const Runtime runtime(RuntimeOptions{1, ""});
    Factor factor(runtime, *analysis);
    ASSERT_TRUE(factor.factorize(*matrix).ok());
    answer = factor.solve(b, right_hand_sides).x;
  }

  const Matrix* given_matrix() const { return matrix ? &*matrix : nullptr; }
  const Analysis* given_analysis() const { return analysis ? &*analysis : nullptr; }

  std::optional<Matrix> matrix;
  std::optional<Analysis> analysis;
  std::vector<double> b;
  std::vector<double> answer;
};

/// Returns the solution, on the root.
std::vector<double> solve(DistributedFactor& factor, const Question& question) {
  EXPECT_TRUE(factor.factorize(question.given_matrix()).ok());
  return factor.solve(question.b, right_hand_sides).x;
}

void expect_answer(DistributedFactor& factor, const Question& question) {
  const std::vector<double> x = solve(factor, question);
  constexpr double condition = 1000;
  const auto rows = static_cast<Index>(question.answer.size());
  EXPECT_TRUE(support::close(x, question.answer, std::max<Index>(1, rows), condition));
}

TEST(Answers, AreThoseOfOneRankWithEveryOrderingAndMapping) {
  for (const std::string& ordering : support::ordering_names()) {
    Question question("irregular2d:300", ordering);
    question.answer_alone();
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
    for (const Mapping mapping : support::mappings) {
      SCOPED_TRACE(ordering + ", mapping " + std::to_string(static_cast<int>(mapping)));
      FactorOptions options;
      options.mapping = mapping;
      DistributedFactor factor(ranks, question.given_analysis(), options);
      expect_answer(factor, question);
    }
  }
}

/// Also for matrices with fewer columns than ranks, for which some ranks own nothing.
TEST(Answers, AreThoseOfOneRankOnEveryGrid) {
  for (const char* spec : {"laplace3d:7", "laplace2d:1", "laplace2d:2"}) {
    Question question(spec);
    question.answer_alone();
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
    for (Index rows = 1; rows <= ranks.size(); ++rows) {
      if (ranks.size() % rows != 0) continue;
      for (const Granularity granularity : {Granularity::panel, Granularity::block}) {
        SCOPED_TRACE(std::string(spec) + ", " + std::to_string(rows) + " rows of ranks");
        FactorOptions options = support::with(granularity);
        options.mapping = Mapping::block_cyclic;
        options.grid = {rows, ranks.size() / rows};
        DistributedFactor factor(ranks, question.given_analysis(), options);
        expect_answer(factor, question);
      }
    }
  }
}

TEST(Answers, AreThoseOfOneRankWithManyWorkersAgainAndAgain) {
  Question question("laplace3d:8");
  question.answer_alone();
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{3, ""});
  DistributedFactor factor(ranks, question.given_analysis());
  for (int run = 0; run < 5; ++run) expect_answer(factor, question);
}

TEST(Answers, AreThoseOfOneRankWhereWorkersRunTasksTogether) {
  Question question("laplace2d:20");
  question.answer_alone();
  const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{2, "ktq", {"dpq_us=1"}});
  DistributedFactor factor(ranks, question.given_analysis());
  for (int run = 0; run < 20; ++run) expect_answer(factor, question);
}

/// Comes after tests that start StarPU with more workers. After such a start, StarPU's parallel
/// policies divide even tasks without slices.
TEST(Answers, AreThoseOfOneRankUnderEveryPolicy) {
  if (ranks_here() != 2) GTEST_SKIP() << "is for two ranks";
  Question question("laplace2d:20");
  question.answer_alone();
  for (const SchedulerInfo& policy : known_schedulers()) {
    SCOPED_TRACE(policy.name);
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{2, policy.name});
    DistributedFactor factor(ranks, question.given_analysis());
    for (int run = 0; run < 2; ++run) expect_answer(factor, question);
  }
}

TEST(Answers, HaveTheSameBitsWhereThatIsWanted) {
  const Question question("elasticity3d:4x3x3");
  for (const Granularity granularity : {Granularity::automatic, Granularity::tile}) {
    std::optional<std::vector<double>> expected;
    for (const Index workers : {1, 2}) {
      const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{workers, workers == 1 ? "prio" : "lws"});
      FactorOptions options = support::with(granularity);
      options.deterministic = true;
      for (int run = 0; run < 3; ++run) {
        DistributedFactor factor(ranks, question.given_analysis(), options);
        const std::vector<double> x = solve(factor, question);
        if (!expected) expected = x;
        EXPECT_TRUE(x == *expected) << workers << " workers, run " << run;
      }
    }
  }
}

/// Returns the lowest number that a new communicator may have.
MPI_Fint next_communicator() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const MPI_Fint number = MPI_Comm_c2f(comm);
  MPI_Comm_free(&comm);
  return number;
}

/// Returns the resident set of this process in bytes.
Count resident() {
  std::ifstream in("/proc/self/statm");
  Count all = 0;
  Count pages = 0;
  in >> all >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

#ifdef ESPALIER_SANITIZERS
constexpr Count kept_by_allocators = Count{256} << 20;  // freed memory that they keep for a while
#else
constexpr Count kept_by_allocators = Count{3} << 20;
#endif

/// No communicator, handle or memory is left.
TEST(Answers, ComeForManyTinySystemsInOneProcess) {
  const int systems = ranks_here() == 1 ? 500 : 50;
  const Question question("laplace2d:3");
  const MPI_Fint before = next_communicator();
  for (int start = 0; start < 2; ++start) {
    const Ranks ranks(MPI_COMM_WORLD, RuntimeOptions{1, ""});
    const MPI_Fint within = next_communicator();
    Count warm = 0;
    for (int k = 0; k < systems; ++k) {
      DistributedFactor factor(ranks, question.given_analysis());
      ASSERT_TRUE(factor.factorize(question.given_matrix()).ok());
      ASSERT_LT(factor.solve(question.b, right_hand_sides).backward_error, support::good);
      if (k == systems / 5) warm = resident();
    }
    EXPECT_EQ(next_communicator(), within);
    EXPECT_LT(resident(), warm + kept_by_allocators);
  }
  EXPECT_EQ(next_communicator(), before);
}

}  // namespace
}  // namespace espalier::internal
