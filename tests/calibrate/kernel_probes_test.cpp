// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "calibrate/probe_series.hpp"
#include "calibrate/probes.hpp"

namespace espalier::internal {
namespace {

TEST(KernelProbes, MeasureEveryKernelAtEverySize) {
  const StarpuInstance starpu(RuntimeOptions{2, "espalier"});
  KernelProbes probes(starpu, 1);
  for (const CostGrid& grid :
       {probes.potrf(), probes.trsm(), probes.syrk(Target::anew), probes.syrk(Target::again)}) {
    EXPECT_TRUE(grid.sound());
    EXPECT_GT(grid.points(), 8U);
    EXPECT_LT(grid.seconds.back(), grid.seconds.front())
        << "large blocks need less time per operation";
  }
  const CostGrid scatter = probes.scatter();
  EXPECT_TRUE(scatter.sound());
  EXPECT_LT(scatter.at(256, 64), scatter.at(1, 1)) << "large blocks are faster an entry";
  const FillSeconds fill = probes.fill();
  for (const double seconds : {fill.entry, fill.taken, fill.line}) EXPECT_GT(seconds, 0);
  EXPECT_GT(probes.read(), 0);
  EXPECT_GT(probes.task(), 0);
}

/// Runs tasks of ten milliseconds, or forty in rounds with slow(round). Returns their average time
/// and the spread of the rounds that count.
std::pair<double, double> steady(const StarpuInstance& starpu, bool (*slow)(Count round)) {
  ProbeMemory memory(starpu.workers());
  Series series(starpu, memory, 2 * samples_a_round);
  series.add(10e-3, [slow](const auto& /*pool*/, Count number, Worker& /*worker*/) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(slow(number / samples_a_round) ? 40 : 10));
  });
  double spread = 0;
  const double seconds = series.steady_seconds(spread).front();
  return {seconds, spread};
}

TEST(Series, MeasuresAgainWhatAnotherProgramHasSlowedDown) {
  const StarpuInstance starpu(RuntimeOptions{1, "espalier"});
  const auto [seconds, spread] = steady(starpu, [](Count round) { return round == 1; });
  EXPECT_LT(seconds, 30e-3);
  EXPECT_GE(seconds, 10e-3);
  EXPECT_LT(spread, 1) << "the slow round does not count";
}

TEST(Series, SaysWhereRoundsStillDifferInTwiceTheTime) {
  const StarpuInstance starpu(RuntimeOptions{1, "espalier"});
  static Count last = 0;
  const auto [seconds, spread] = steady(starpu, [](Count round) {
    last = round;
    return round > 0;
  });
  EXPECT_EQ(last, 3) << "two rounds, and two additional ones";
  EXPECT_GT(spread, most_spread);
  EXPECT_GT(seconds, 10e-3);
}

TEST(RobustMean, LeavesOutWhatIsFarOff) {
  std::vector<double> samples{1.0, 1.1, 0.9, 1.05, 0.95, 1000, 1.0};
  EXPECT_NEAR(robust_mean(samples), 1.0, 1e-12);
  samples = {3};
  EXPECT_EQ(robust_mean(samples), 3);
  samples = {2, 2, 2, 2, 9};
  EXPECT_EQ(robust_mean(samples), 2);
  samples = {1, 2, 3, 4};
  EXPECT_NEAR(robust_mean(samples), 2.5, 1e-12);
}

}  // namespace
}  // namespace espalier::internal
