// SPDX-License-Identifier: BSD-3-Clause

#include "base/options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

Tuning sample_tuning() {
  Tuning tuning;
  tuning.amalgamation.widths = {1, 2, 3, 4};
  tuning.panel_width = 64;
  tuning.narrow_panel_width = 32;
  tuning.subtrees_per_worker = 5;
  tuning.tile_rows = 99;
  return tuning;
}

TEST(Completed, FillsInWhatIsEmpty) {
  const AnalysisOptions analysis = completed(AnalysisOptions{}, sample_tuning());
  EXPECT_EQ(analysis.amalgamation->widths, sample_tuning().amalgamation.widths);
  EXPECT_EQ(analysis.panel_width, 64);
  EXPECT_EQ(analysis.narrow_panel_width, 32);
  const FactorOptions factor = completed(FactorOptions{}, sample_tuning());
  EXPECT_EQ(factor.subtrees_per_worker, 5);
  EXPECT_EQ(factor.tile_rows, 99);
}

TEST(Completed, KeepsWhatIsGiven) {
  AnalysisOptions analysis;
  analysis.amalgamation = {{9, 9, 9, 9}, {0, 0, 0, 0}};
  analysis.panel_width = 256;
  analysis.narrow_panel_width = 8;
  analysis = completed(analysis, sample_tuning());
  EXPECT_EQ(analysis.amalgamation->widths[0], 9);
  EXPECT_EQ(analysis.panel_width, 256);
  EXPECT_EQ(analysis.narrow_panel_width, 8);
  FactorOptions factor;
  factor.subtrees_per_worker = 1.5;
  factor.tile_rows = 1;
  factor = completed(factor, sample_tuning());
  EXPECT_EQ(factor.subtrees_per_worker, 1.5);
  EXPECT_EQ(factor.tile_rows, 1);
}

TEST(Tuned, LeavesOpenWhatNobodyChanged) {
  EXPECT_FALSE(tuned(FactorOptions{}, Tuning{}).tile_rows);
  EXPECT_FALSE(tuned(FactorOptions{}, Tuning{}).subtrees_per_worker);
  Tuning other;
  other.tile_rows = 96;
  other.subtrees_per_worker = 5;
  EXPECT_EQ(tuned(FactorOptions{}, other).subtrees_per_worker, 5);
  EXPECT_EQ(tuned(FactorOptions{}, other).tile_rows, 96);
  FactorOptions given;
  given.tile_rows = 512;
  EXPECT_EQ(tuned(given, other).tile_rows, 512);
  EXPECT_EQ(tuned(given, Tuning{}).tile_rows, 512);
}

TEST(TuningParameters, AreAllOfThemOnce) {
  Tuning tuning;
  double value = 2;
  for (const TuningParameter& parameter : tuning_parameters()) parameter.set(tuning, value++);
  EXPECT_EQ(tuning.amalgamation.widths, (std::array<Index, 4>{2, 3, 4, 5}));
  EXPECT_EQ(tuning.amalgamation.zeros, (std::array<double, 4>{6, 7, 8, 9}));
  EXPECT_EQ(tuning.panel_width, 10);
  EXPECT_EQ(tuning.narrow_panel_width, 11);
  EXPECT_EQ(tuning.subtrees_per_worker, 12);
  EXPECT_EQ(tuning.tile_rows, 13);
  EXPECT_EQ(tuning.trsm_panel, 14);
  EXPECT_EQ(tuning.potrf_panel, 15);
  value = 2;
  std::set<std::string_view> names;
  for (const TuningParameter& parameter : tuning_parameters()) {
    EXPECT_EQ(parameter.of(tuning), value++) << parameter.name;
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
  }
}

TEST(TuningParameters, AreThoseOfPlansAndThoseOfKernels) {
  EXPECT_EQ(planned_parameters().size() + kernel_parameters().size(), tuning_parameters().size());
  std::vector<std::string_view> names;
  for (const TuningParameter& parameter : kernel_parameters()) {
    names.push_back(parameter.name);
    EXPECT_EQ(parameter.rounded(64), 64);
    EXPECT_EQ(parameter.rounded(100), 128);
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"trsm_panel", "potrf_panel"}));
}

TEST(TuningParameters, HaveTheirDefaultsInTheirRanges) {
  for (const TuningParameter& parameter : tuning_parameters()) {
    EXPECT_LT(parameter.lowest, parameter.highest) << parameter.name;
    EXPECT_GE(parameter.of({}), parameter.lowest) << parameter.name;
    const bool unlimited = parameter.of({}) == std::numeric_limits<Index>::max();
    EXPECT_TRUE(unlimited || parameter.of({}) <= parameter.highest) << parameter.name;
  }
}

TEST(TuningParameters, HoldTheNearestValueOfTheirType) {
  Tuning tuning;
  for (const TuningParameter& parameter : tuning_parameters()) parameter.set(tuning, 1e300);
  EXPECT_EQ(tuning.tile_rows, std::numeric_limits<Index>::max());
}

template <class Options, class Set>
void expect_refused(Set set, std::initializer_list<std::string> parts) {
  Options options;
  set(options);
  support::expect_error<UsageError>([&] { validate(options); }, parts);
}

template <class Options, class Set>
void expect_accepted(Set set) {
  Options options;
  set(options);
  EXPECT_NO_THROW(validate(options));
}

TEST(OptionChecks, AcceptTheDefaults) {
  EXPECT_NO_THROW(validate(AnalysisOptions{}));
  EXPECT_NO_THROW(validate(FactorOptions{}));
  EXPECT_NO_THROW(validate(RuntimeOptions{}));
  EXPECT_NO_THROW(validate(SolveOptions{}));
}

TEST(OptionChecks, NameFieldValueAndLimits) {
  using A = AnalysisOptions;
  expect_refused<A>([](A& o) { o.factorizations = 0; }, {"factorizations is 0", "1 to "});
  expect_refused<A>([](A& o) { o.workers = -1; }, {"workers is -1", "0 to 4096"});
  expect_refused<A>([](A& o) { o.workers = 4097; }, {"workers is 4097", "0 to 4096"});
  expect_refused<A>([](A& o) { o.panel_width = 7; }, {"panel_width is 7", "8 to 8192"});
  expect_refused<A>([](A& o) { o.panel_width = 8193; }, {"panel_width is 8193", "8 to 8192"});
  expect_refused<A>([](A& o) { o.narrow_panel_width = 7; }, {"narrow_panel_width is 7"});
  expect_refused<FactorOptions>([](FactorOptions& o) { o.subtrees_per_worker = 0.9; },
                                {"subtrees_per_worker is 0.9", "1 to 10000"});
  expect_refused<FactorOptions>([](FactorOptions& o) { o.tile_rows = 0; }, {"tile_rows is 0"});
  expect_refused<FactorOptions>([](FactorOptions& o) { o.memory_limit = -1; },
                                {"memory_limit is -1", "0 to "});
  expect_refused<RuntimeOptions>([](RuntimeOptions& o) { o.workers = -2; },
                                 {"workers is -2", "0 to 4096"});
  expect_refused<SolveOptions>([](SolveOptions& o) { o.refinement_steps = -1; },
                               {"refinement_steps is -1", "0 to 100"});
  expect_refused<SolveOptions>([](SolveOptions& o) { o.refinement_steps = 101; },
                               {"refinement_steps is 101", "0 to 100"});
}

TEST(OptionChecks, CheckEachOfTheFourLimitsOfAmalgamation) {
  using A = AnalysisOptions;
  for (std::size_t i = 0; i < 4; ++i) {
    expect_refused<A>([i](A& o) { o.amalgamation.emplace().widths[i] = -1; },
                      {"amalgamation.widths is -1"});
    expect_refused<A>([i](A& o) { o.amalgamation.emplace().zeros[i] = 1.01; },
                      {"amalgamation.zeros is 1.01", "0 to 1"});
    expect_refused<A>([i](A& o) { o.amalgamation.emplace().zeros[i] = -0.01; },
                      {"amalgamation.zeros is"});
    expect_refused<A>(
        [i](A& o) { o.amalgamation.emplace().zeros[i] = std::numeric_limits<double>::quiet_NaN(); },
        {"amalgamation.zeros is nan"});
  }
}

TEST(OptionChecks, AcceptTheEndsOfTheLimits) {
  using A = AnalysisOptions;
  expect_accepted<A>([](A& o) { o.factorizations = 1000000000; });
  expect_accepted<A>([](A& o) { o.workers = 4096; });
  expect_accepted<A>([](A& o) { o.panel_width = 8; });
  expect_accepted<A>([](A& o) { o.panel_width = 8192; });
  expect_accepted<A>([](A& o) { o.amalgamation = {{0, 0, 0, 0}, {0, 0, 0, 0}}; });
  expect_accepted<A>([](A& o) { o.amalgamation.emplace().zeros = {1, 1, 1, 1}; });
  expect_accepted<FactorOptions>([](FactorOptions& o) { o.memory_limit = 1; });
  expect_accepted<RuntimeOptions>([](RuntimeOptions& o) { o.workers = 4096; });
  expect_accepted<SolveOptions>([](SolveOptions& o) { o.refinement_steps = 100; });
}

TEST(OptionChecks, AcceptOneValueWithinItsLimitsAlone) {
  constexpr Limits limits{1, 7.5};
  EXPECT_NO_THROW(expect_within(limits, "size", 1));
  EXPECT_NO_THROW(expect_within(limits, "size", 7.5));
  support::expect_error<UsageError>([&] { expect_within(limits, "size", 0); },
                                    {"size is 0; give a value from 1 to 7.5"});
}

}  // namespace
}  // namespace espalier::internal
