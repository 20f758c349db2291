// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <vector>

#include "calibrate/probes.hpp"

namespace espalier::internal {
namespace {

TEST(KernelProbes, MeasureEveryKernelAtEverySize) {
  const StarpuInstance starpu(RuntimeOptions{2, "espalier"});
  const KernelProbes probes(starpu, 1);
  for (const CostGrid& grid :
       {probes.potrf(), probes.trsm(), probes.syrk(Target::anew), probes.syrk(Target::again)}) {
    EXPECT_TRUE(grid.sound());
    EXPECT_GT(grid.points(), 8U);
    EXPECT_LT(grid.seconds.back(), grid.seconds.front()) << "large ones are faster an operation";
  }
  const CostGrid scatter = probes.scatter();
  EXPECT_TRUE(scatter.sound());
  EXPECT_LT(scatter.at(256, 64), scatter.at(1, 1)) << "large blocks are faster an entry";
  const FillSeconds fill = probes.fill();
  for (const double seconds : {fill.entry, fill.taken, fill.line}) EXPECT_GT(seconds, 0);
  EXPECT_GT(probes.read(), 0);
  EXPECT_GT(probes.task(), 0);
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
