// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "solver/sample_solver.hpp"

/// FactorOptions::deterministic: the same bits on every run, with any number of workers.
namespace espalier {
namespace {

class Deterministic : public testing::TestWithParam<const char*> {
 protected:
  Deterministic() : matrix_(Matrix::load(GetParam())) {}

  std::vector<double> solution(const Runtime& runtime, Granularity granularity,
                               const std::string& ordering) const {
    AnalysisOptions analysis;
    analysis.workers = 2;
    analysis.ordering = ordering;
    FactorOptions options = support::with(granularity);
    options.deterministic = true;
    Factor factor(runtime, Analysis(matrix_, analysis), options);
    EXPECT_TRUE(factor.factorize(matrix_).ok());
    const auto n = static_cast<std::size_t>(matrix_.size());
    return factor.solve(support::random_vector(3 * n, 1), 3).x;
  }

  Matrix matrix_;
};

TEST_P(Deterministic, GivesTheSameBitsForAnyNumberOfWorkers) {
  for (const std::string ordering : {"amd", "metis"}) {
    for (const Granularity granularity : support::all_granularities) {
      std::optional<std::vector<double>> expected;
      for (const Index workers : {1, 2, 3}) {
        const Runtime runtime(RuntimeOptions{workers, workers == 3 ? "lws" : "prio"});
        for (int run = 0; run < 2; ++run) {
          const std::vector<double> x = solution(runtime, granularity, ordering);
          if (!expected) expected = x;
          EXPECT_TRUE(x == *expected) << ordering << ", " << workers << " workers, run " << run
                                      << ", granularity " << static_cast<int>(granularity);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Small, Deterministic, testing::Values("laplace3d:7", "laplace2d:40"));
/// Above the size from which a solve is made of tasks.
INSTANTIATE_TEST_SUITE_P(Slow, Deterministic, testing::Values("laplace2d:130"));

}  // namespace
}  // namespace espalier
