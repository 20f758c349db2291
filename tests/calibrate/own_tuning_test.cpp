// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/own_tuning.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "espalier/error.hpp"
#include "espalier/tuning.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/cost_model.hpp"
#include "perfmodels/sample_files.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

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
  for (const TuningParameter& parameter : planned_parameters()) {
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

/// Tests of the functions of the library.
class TuningInterface : public testing::Test {
 protected:
  void refuse(const AnalysisOptions& options, const FactorOptions& factor, const char* why) {
    support::expect_error<UsageError>(
        [&] { espalier::analyze_and_tune(runtime_, matrix_, options, factor); }, {why});
  }

  Runtime runtime_{RuntimeOptions{2, "lws"}};
  Matrix matrix_ = Matrix::load("laplace3d:12");
};

TEST_F(TuningInterface, AnalyzesForTheWorkersOfTheRuntime) {
  const Analysis analysis = espalier::analyze_and_tune(runtime_, matrix_);
  Factor factor(runtime_, analysis);
  ASSERT_TRUE(factor.factorize(matrix_).ok());
  const std::vector<double> b(static_cast<std::size_t>(matrix_.size()), 1.0);
  EXPECT_LT(factor.solve(b).backward_error, 1e-14);
  EXPECT_FALSE(factor.report().tune.parameters.empty());
}

TEST_F(TuningInterface, HasToHaveAChoice) {
  AnalysisOptions options;
  options.panel_width = 64;
  refuse(options, {}, "leave them empty");
  FactorOptions factor;
  factor.tile_rows = 64;
  refuse({}, factor, "leave them empty");
  factor = {};
  factor.deterministic = true;
  refuse({}, factor, "make an Analysis instead");
}

/// A user's data folder with a calibration for two workers of this processor.
class LearnedCosts : public testing::Test {
 protected:
  LearnedCosts() { std::filesystem::create_directories(folder_.path("espalier")); }

  support::TemporaryFolder folder_;
  std::string place_ = folder_.path("");
  support::Environment home_{"XDG_DATA_HOME", place_.c_str()};
  Matrix matrix_ = Matrix::load("laplace3d:12");
};

TEST_F(LearnedCosts, AreThoseOfTheSecondFactorizationAndLater) {
  CostFile file = support::sample_costs();
  file.cpu = cpu_name();
  file.workers = 2;
  file.table.history = {};
  std::ofstream(user_cost_file()) << to_json(file);
  const Runtime runtime{RuntimeOptions{2, "lws"}};
  FactorOptions options;
  options.granularity = Granularity::panel;
  Factor factor(runtime, Analysis(matrix_), options);
  ASSERT_TRUE(factor.factorize(matrix_).ok());
  support::expect_error<UsageError>([&] { learn_costs(factor); },
                                    {"second successful factorization"});
  ASSERT_TRUE(factor.factorize(matrix_).ok());
  EXPECT_TRUE(learn_costs(factor));
  EXPECT_FALSE(read_cost_file(user_cost_file()).table.history.empty());
}

TEST_F(LearnedCosts, NeedACalibration) {
  const Runtime runtime{RuntimeOptions{1, "prio"}};
  Factor factor(runtime, Analysis(matrix_));
  for (int twice = 0; twice < 2; ++twice) ASSERT_TRUE(factor.factorize(matrix_).ok());
  EXPECT_FALSE(learn_costs(factor));
}

}  // namespace
}  // namespace espalier::internal
