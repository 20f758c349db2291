// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/own_tuning.hpp"

#include <gtest/gtest.h>

#include "base/options.hpp"
#include "perfmodels/cost_model.hpp"

namespace espalier::internal {
namespace {

AnalysisOptions for_two_workers() {
  AnalysisOptions options;
  options.workers = 2;
  options.tuned = false;
  return options;
}

TEST(AnalyzeAndTune, HasTheStructureOfWhatItFound) {
  const Matrix matrix = Matrix::load("laplace3d:24");
  const Analysis analysis = analyze_and_tune(read_host_costs(), matrix, for_two_workers(), {});
  const Report report = analysis.report();
  const TuneReport& tune = report.tune;
  EXPECT_GE(tune.tunings, 1);
  EXPECT_LE(tune.predicted_after, tune.predicted_before);
  EXPECT_EQ(report.symbolic.predicted_factor_seconds, tune.predicted_after);
  const bool found = tune.predicted_after < tune.predicted_before;
  EXPECT_EQ(report.tuning.source, found ? "searched" : "defaults");
  Tuning tuning;
  for (const TuningParameter& parameter : tuning_parameters()) {
    parameter.set(tuning, tune.parameters.at(std::string(parameter.name)));
  }
  const Report again = Analysis(matrix, completed(for_two_workers(), tuning)).report();
  EXPECT_EQ(report.symbolic.supernodes, again.symbolic.supernodes);
  EXPECT_EQ(report.symbolic.blocks, again.symbolic.blocks);
  const Report usual = Analysis(matrix, for_two_workers()).report();
  EXPECT_EQ(usual.symbolic.predicted_factor_seconds, tune.predicted_before);
  EXPECT_EQ(usual.ordering.method, report.ordering.method);
  EXPECT_EQ(usual.tune.tunings, 0);
}

TEST(AnalyzeAndTune, DoesNotLookWhereAFactorizationTakesNoTime) {
  const Report report =
      analyze_and_tune(read_host_costs(), Matrix::load("laplace2d:3"), for_two_workers(), {})
          .report();
  EXPECT_EQ(report.tune.tunings, 0);
  EXPECT_EQ(report.tuning.source, "defaults");
  EXPECT_EQ(report.tune.predicted_after, report.tune.predicted_before);
  EXPECT_EQ(report.tune.parameters.at("panel_width"), Tuning{}.panel_width);
}

}  // namespace
}  // namespace espalier::internal
