// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "espalier/espalier.hpp"
#include "support/problems.hpp"

namespace espalier::internal::support {

/// Returns the orderings of the public interface that need no file.
inline const std::vector<std::string>& ordering_names() {
  static const std::vector<std::string> names{"natural", "amd",    "dissection",
                                              "metis",   "scotch", "auto"};
  return names;
}

inline constexpr Granularity all_granularities[] = {Granularity::automatic, Granularity::panel,
                                                    Granularity::tile, Granularity::block};

/// Returns an analysis with narrow panels, so that even small problems have many tasks.
inline Analysis analysis_of(const Matrix& matrix, const std::string& ordering = "amd") {
  AnalysisOptions options;
  options.ordering = ordering;
  options.workers = 2;
  options.panel_width = 8;
  options.amalgamation = {{2, 4, 8, 16}, {1.0, 0.5, 0.2, 0.05}};
  return Analysis(matrix, options);
}

inline FactorOptions with(Granularity granularity) {
  FactorOptions options;
  options.granularity = granularity;
  return options;
}

/// Returns options with five steps of refinement, as a factorization that chooses its pivots needs.
inline SolveOptions refined() {
  SolveOptions options;
  options.refinement_steps = 5;
  return options;
}

/// Maximum backward error of a good solution: some units of rounding.
inline constexpr double good = 1e-14;

/// Solves A x = b, where x is 1, -1/2, 1/3, ..., and expects a small backward error.
inline void expect_solves(Factor& factor, const Matrix& matrix) {
  std::vector<double> x(matrix.size());
  for (Index i = 0; i < matrix.size(); ++i) x[i] = (i % 2 ? -1.0 : 1.0) / (i + 1);
  const Solution solution = factor.solve(matrix.multiply(x));
  EXPECT_LE(solution.backward_error, good);
}

/// Expects the same bits of solutions with one to three workers. Calls prepare(factor) before each
/// factorization.
template <class Prepare>
void expect_same_bits_with_any_workers(const Matrix& matrix, FactorOptions options,
                                       Prepare prepare) {
  const std::vector<double> b(matrix.size(), 1.0);
  AnalysisOptions structure;
  structure.workers = 4;
  structure.tuned = false;
  const Analysis analysis(matrix, structure);
  options.deterministic = true;
  std::vector<std::vector<double>> x;
  for (const Index workers : {1, 2, 3}) {
    const Runtime runtime(RuntimeOptions{workers, "lws"});
    Factor factor(runtime, analysis, options);
    prepare(factor);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    const Solution solution = factor.solve(b);
    EXPECT_LE(solution.backward_error, good);
    x.push_back(solution.x);
    EXPECT_EQ(x.back(), x.front()) << workers;
  }
}

}  // namespace espalier::internal::support
