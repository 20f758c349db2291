// SPDX-License-Identifier: BSD-3-Clause

#include "cli/progress.hpp"

#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

TEST(PhasesOfARun, FollowEachOtherAndHoldTheirParts) {
  Phases phases(false);
  phases.begin("reading");
  phases.begin("analyzing");
  phases.divide({{"ordering", 1}, {"symbolic", 2}});
  phases.end();
  phases.end();
  const std::vector<Phase>& ended = phases.ended();
  ASSERT_EQ(ended.size(), 4u);
  EXPECT_EQ(ended[0].name, "reading");
  EXPECT_LE(0, ended[0].begin);
  EXPECT_LE(ended[0].begin, ended[0].end);
  EXPECT_EQ(ended[1].name, "ordering");
  EXPECT_EQ(ended[2].begin, ended[1].end);
  EXPECT_DOUBLE_EQ(ended[2].end - ended[2].begin, 2);
  EXPECT_EQ(ended[3].name, "analyzing");
  EXPECT_EQ(ended[3].begin, ended[1].begin);
  EXPECT_LE(ended[0].end, ended[3].begin);
}

TEST(PhasesOfARun, TakeTurns) {
  Phases phases(false);
  phases.begin("solving");
  phases.turn_to("writing");
  phases.turn_to("solving");
  phases.end();
  ASSERT_EQ(phases.ended().size(), 3u);
  EXPECT_EQ(phases.ended()[1].name, "writing");
  EXPECT_EQ(phases.ended()[1].end, phases.ended()[1].end);
  EXPECT_LE(phases.ended()[1].end, phases.ended()[2].begin);
}

TEST(ExpectedSeconds, AreThoseOfOwnOrderings) {
  const Matrix matrix = Matrix::load("laplace2d:100");
  const auto of = [&](const char* ordering, Index workers) {
    AnalysisOptions options;
    options.ordering = ordering;
    options.workers = workers;
    return expected_ordering_seconds(matrix, options);
  };
  EXPECT_GT(of("amd", 1), 0);
  EXPECT_LT(of("dissection", 4), of("dissection", 1));
  EXPECT_DOUBLE_EQ(of("auto", 2), of("amd", 2) + of("dissection", 2));
  EXPECT_EQ(of("scotch", 1), 0) << "there is no prediction";
}

TEST(ProgressLine, HasSecondsAlone) {
  EXPECT_EQ(progress_line({.name = "reading", .seconds = 2.4}), "reading: 2 s");
}

TEST(ProgressLine, SaysHowMuchOfWhatWasExpectedIsLeft) {
  PhaseState phase{.name = "factorizing", .seconds = 12, .expected = 48};
  EXPECT_EQ(progress_line(phase), "factorizing: 12 s, 25 %, 36 s left");
  phase.expected = 12 + 600;
  EXPECT_EQ(progress_line(phase), "factorizing: 12 s, 1 %, 10 min left");
  phase.expected = 4 * 3600;
  EXPECT_EQ(progress_line(phase), "factorizing: 12 s, 0 %, 4 h left");
}

TEST(ProgressLine, NeitherEndsEarlyNorGoesBelowZero) {
  PhaseState phase{.name = "factorizing", .seconds = 99.9, .expected = 100};
  EXPECT_EQ(progress_line(phase), "factorizing: 100 s, 99 %, 0 s left");
  phase.seconds = 130;
  EXPECT_EQ(progress_line(phase), "factorizing: 130 s, 2 min expected");
}

TEST(ProgressLine, TakesTheWorkThatIsDoneOverWhatWasExpected) {
  const PhaseState phase{
      .name = "solving", .seconds = 15, .expected = 1000, .share = 0.25, .share_seconds = 10};
  EXPECT_EQ(progress_line(phase), "solving: 15 s, 37 %, 25 s left");
}

}  // namespace
}  // namespace espalier::internal
