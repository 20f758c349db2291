// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/tuning_problem.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "perfmodels/cost_model.hpp"
#include "solver/analysis.hpp"

namespace espalier::internal {
namespace {

std::vector<Tuning> tunings() {
  std::vector<Tuning> result(7);
  result[1].panel_width = 16;
  result[2].amalgamation.zeros = {0.1, 0.1, 0.1, 0.1};
  result[3] = result[2];
  result[3].narrow_panel_width = 24;
  result[4].amalgamation.widths = {1, 1, 1, 1};
  result[5].subtrees_per_worker = 8;
  result[6].tile_rows = 32;
  return result;
}

TuningProblem::Costs costs() { return read_host_costs().table; }

double analyzed(const Matrix& matrix, AnalysisOptions options, const Tuning& tuning) {
  options.tuned = false;
  return Analysis(matrix, completed(options, tuning)).report().symbolic.predicted_factor_seconds;
}

TEST(TuningProblem, PredictsWhatAnAnalysisDoesInAnyOrder) {
  for (const Index workers : {2, 4}) {
    for (const char* const spec : {"laplace3d:16", "irregular2d:5000", "laplace2d:6"}) {
      const Matrix matrix = Matrix::load(spec);
      AnalysisOptions options;
      options.workers = workers;
      TuningProblem problem(matrix, options, costs(), 2);
      for (const int order : {1, 3}) {
        for (std::size_t k = 0; k < tunings().size(); ++k) {
          Tuning tuning = tunings()[k * order % tunings().size()];
          // The analysis does not know the parameters of a Factor, so its plan has the default
          // tasks.
          tuning.subtrees_per_worker = Tuning{}.subtrees_per_worker;
          tuning.tile_rows = Tuning{}.tile_rows;
          EXPECT_EQ(problem.predicted_seconds(tuning), analyzed(matrix, options, tuning))
              << spec << ", tuning " << k;
        }
      }
    }
  }
}

TEST(TuningProblem, TakesAnOrderingAndWhatAFactorIsAskedFor) {
  const Matrix matrix = Matrix::load("laplace3d:16");
  AnalysisOptions options;
  options.workers = 2;
  TuningProblem whole(matrix, options, costs(), 1);
  const AnalysisDraft draft(matrix, options);
  const CountedOrdering ordering = draft.order();
  TuningProblem begun(matrix, options, costs(), draft.graph(), ordering, {});
  FactorOptions by_blocks;
  by_blocks.granularity = Granularity::block;
  TuningProblem finer(matrix, options, costs(), draft.graph(), ordering, by_blocks);
  for (const Tuning& tuning : tunings()) {
    EXPECT_EQ(begun.predicted_seconds(tuning), whole.predicted_seconds(tuning));
    EXPECT_GT(finer.predicted_seconds(tuning), whole.predicted_seconds(tuning));
  }
}

TEST(TuningProblem, KnowsOfSubtreesAndTiles) {
  const Matrix matrix = Matrix::load("laplace3d:24");
  AnalysisOptions options;
  options.workers = 8;
  TuningProblem problem(matrix, options, costs(), 1);
  const double usual = problem.predicted_seconds({});
  EXPECT_NE(problem.predicted_seconds(tunings()[5]), usual);
  EXPECT_NE(problem.predicted_seconds(tunings()[6]), usual);
  EXPECT_EQ(problem.predicted_seconds({}), usual);
}

TEST(TuningProblem, LearnsWhatTasksTake) {
  AnalysisOptions options;
  options.workers = 2;
  const Matrix matrix = Matrix::load("laplace3d:16");
  TuningProblem problem(matrix, options, costs(), 1);
  const double before = problem.predicted_seconds({});
  TaskRun run;
  std::vector<TaskRun> runs;
  for (const char* const kind : {"diagonal", "factor", "update", "subtree", "assemble"}) {
    run.kind = kind;
    for (run.flops = 1; run.flops < 1e12; run.flops *= 2) {
      for (double rate = 1e6; rate < 1e12; rate *= 2) {
        run.predicted_seconds = run.flops / rate;
        run.end = 3 * run.predicted_seconds;
        runs.insert(runs.end(), 20, run);
      }
    }
  }
  problem.learn(runs);
  const double after = problem.predicted_seconds({});
  EXPECT_GT(after, 2.5 * before) << "the overhead of the runtime does not change";
  EXPECT_LE(after, 3.01 * before);
}

}  // namespace
}  // namespace espalier::internal
