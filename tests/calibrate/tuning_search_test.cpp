// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/tuning_search.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>

namespace espalier::internal {
namespace {

double octaves(double value, double best) { return std::abs(std::log2(value / best)); }

/// Returns 1 for the defaults. The minimum is 0.9 at 64 columns and 0.3 zeros. Other parameters do
/// not matter.
double objective(const Tuning& tuning) {
  const double loss =
      octaves(tuning.panel_width, 64) + 10 * std::abs(tuning.amalgamation.zeros[2] - 0.3);
  return 0.9 + 0.1 * loss / 3;
}

void ignore(double, double) {}

std::optional<Candidate> found(unsigned seed, Index iterations = 2000, const Tuning& start = {}) {
  return search(start, objective, {60, iterations, seed}, ignore);
}

double value(const Candidate& candidate, std::string_view name) {
  for (const TuningParameter& parameter : tuning_parameters()) {
    if (parameter.name == name) return parameter.of(candidate.tuning);
  }
  throw std::out_of_range(std::string(name));
}

TEST(Search, FindsTheBestValuesOfWhatMatters) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const std::optional<Candidate> candidate = found(seed);
    ASSERT_TRUE(candidate);
    EXPECT_NEAR(candidate->objective, 0.9, 0.006);
    EXPECT_EQ(candidate->objective, objective(candidate->tuning));
    EXPECT_NEAR(value(*candidate, "panel_width"), 64, 8);
    EXPECT_NEAR(value(*candidate, "amalgamation_zeros_3"), 0.3, 0.02);
  }
}

TEST(Search, LeavesTheRestAsItIs) {
  Tuning start;
  start.tile_rows = 2048;
  for (const Tuning& from : {Tuning{}, start}) {
    const std::optional<Candidate> candidate = found(1, 2000, from);
    ASSERT_TRUE(candidate);
    for (const TuningParameter& parameter : tuning_parameters()) {
      if (parameter.name == "panel_width" || parameter.name == "amalgamation_zeros_3") continue;
      EXPECT_EQ(parameter.of(candidate->tuning), parameter.of({})) << parameter.name;
    }
  }
}

TEST(Search, GoesOnFromWhereItStarts) {
  Tuning start;
  start.panel_width = 64;
  start.amalgamation.zeros[2] = 0.3;
  const std::optional<Candidate> candidate = found(1, 1, start);
  ASSERT_TRUE(candidate);
  EXPECT_TRUE(equal(candidate->tuning, start));
}

TEST(Search, FindsNothingWhereTheDefaultsAreBest) {
  const auto away = [](const Tuning& tuning) {
    double sum = 1;
    for (const TuningParameter& p : tuning_parameters()) sum += p.of(tuning) != p.of({});
    return sum;
  };
  EXPECT_FALSE(search({}, away, {60, 300, 1}, ignore));
}

TEST(Search, IsTheSameForTheSameSeedAndIterations) {
  const auto tuning = [](unsigned seed) { return found(seed, 100)->tuning; };
  EXPECT_TRUE(equal(tuning(5), tuning(5)));
  EXPECT_FALSE(equal(tuning(5), tuning(6)));
}

TEST(Search, EndsWithItsTimeAndTellsHowFarItIs) {
  double last = 0;
  const auto progress = [&](double share, double gain) {
    EXPECT_GE(share, last);
    EXPECT_LT(share, 1);
    EXPECT_GE(gain, 0);
    last = share;
  };
  search({}, objective, {0.2, 0, 1}, progress);
  EXPECT_GT(last, 0.5);
}

TEST(Search, ForItselfEndsBeforeALookThatWouldPassItsTime) {
  int evaluations = 0;
  const auto counted = [&](const Tuning& tuning) { return ++evaluations, objective(tuning); };
  EXPECT_FALSE(search({}, counted, {.seconds = 1, .evaluation_seconds = 2}, ignore));
  EXPECT_EQ(evaluations, 1) << "only the start is evaluated";
  evaluations = 0;
  const auto slow = [&](const Tuning& tuning) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return counted(tuning);
  };
  EXPECT_FALSE(search({}, slow, {.seconds = 0.1, .evaluation_seconds = 1e-9}, ignore));
  EXPECT_EQ(evaluations, 1) << "the start took more than half of the time";
  EXPECT_TRUE(search({}, counted, {.seconds = 0.6, .evaluation_seconds = 1e-9}, ignore));
}

TEST(Neighbour, ChangesOneOrTwoParametersWithinTheirRanges) {
  RandomNumbers random(1);
  Tuning tuning;
  for (int step = 0; step < 2000; ++step) {
    const Tuning next = neighbour(tuning, step % 2 ? 0.5 : 0.001, random);
    int changed = 0;
    for (const TuningParameter& parameter : tuning_parameters()) {
      const double now = parameter.of(next);
      changed += now != parameter.of(tuning);
      EXPECT_GE(now, parameter.lowest) << parameter.name;
      if (parameter.open && now >= parameter.highest) {
        EXPECT_EQ(now, std::numeric_limits<Index>::max()) << parameter.name;
      } else {
        EXPECT_LE(now, parameter.highest) << parameter.name;
        EXPECT_EQ(now, parameter.rounded(now)) << parameter.name;
      }
    }
    EXPECT_LE(changed, 2);
    tuning = next;
  }
}

TEST(Simplified, KeepsNearlyAllOfTheGain) {
  Candidate candidate;
  candidate.tuning.panel_width = 64;
  candidate.tuning.tile_rows = 64;
  candidate.objective = objective(candidate.tuning);
  const Candidate simpler = simplified(candidate, objective);
  EXPECT_EQ(simpler.tuning.panel_width, 64);
  EXPECT_EQ(simpler.tuning.tile_rows, Tuning{}.tile_rows);
  EXPECT_EQ(simpler.objective, objective(simpler.tuning));
}

TEST(SearchFromAnywhere, FindsTheBestValuesInsideTheRanges) {
  const auto parameters = tuning_parameters().subspan(8, 2);  // the widths of panels
  for (const unsigned seed : {1u, 2u, 3u}) {
    const auto loss = [&](const Tuning& tuning) {
      for (const TuningParameter& parameter : parameters) {
        EXPECT_GE(parameter.of(tuning), parameter.lowest);
        EXPECT_LE(parameter.of(tuning), parameter.highest);
      }
      return 1e-3 * (1 + octaves(tuning.panel_width, 400) + octaves(tuning.narrow_panel_width, 48));
    };
    const Candidate best = search_from_anywhere(loss, {60, 2000, seed}, parameters);
    EXPECT_NEAR(best.tuning.panel_width, 400, 40);
    EXPECT_NEAR(best.tuning.narrow_panel_width, 48, 8);
    EXPECT_EQ(best.tuning.tile_rows, Tuning{}.tile_rows) << "not one of the searched parameters";
  }
}

}  // namespace
}  // namespace espalier::internal
