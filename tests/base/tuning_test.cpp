// SPDX-License-Identifier: BSD-3-Clause
#include "base/tuning.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

namespace espalier {
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
  value = 2;
  std::set<std::string_view> names;
  for (const TuningParameter& parameter : tuning_parameters()) {
    EXPECT_EQ(parameter.of(tuning), value++) << parameter.name;
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
  }
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

}  // namespace
}  // namespace espalier
