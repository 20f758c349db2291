// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace espalier::internal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Samples = std::vector<std::vector<double>>;

TEST(Rounds, AreComparedByAllSizesTogether) {
  Rounds rounds;
  EXPECT_EQ(rounds.spread(), 0);
  rounds.add(Samples{{1, 1, 50}, {4, 4, 4}});
  EXPECT_EQ(rounds.spread(), 0) << "a single round";
  rounds.add(Samples{{2, 2, 2}, {8, 8, 8}});
  EXPECT_NEAR(rounds.spread(), 1, 1e-12) << "twice as long, except for one sample";
  rounds.add(Samples{{2, 2, 2}, {2, 2, 2}});
  EXPECT_NEAR(rounds.spread(), 1, 1e-12) << "one size is slower, the other one faster";
}

TEST(Rounds, LoseTheSlowest) {
  Rounds rounds;
  for (const double seconds : {2.0, 6.0, 2.2}) rounds.add(Samples{{seconds}, {10 * seconds}});
  rounds.drop_slowest();
  EXPECT_EQ(rounds.count(), 2U);
  EXPECT_NEAR(rounds.spread(), 0.1, 1e-12);
  EXPECT_THAT(rounds.means(), ElementsAre(testing::DoubleEq(2.1), testing::DoubleEq(21)));
}

/// Returns a table with the same time for every operation of a kernel.
CostTable table_of(double potrf, double trsm, double syrk, double gemm) {
  const auto grid = [](std::array<int, 3> classes, double seconds) {
    CostGrid made{classes, {}};
    made.seconds.assign(made.points(), seconds);
    return made;
  };
  CostTable table;
  table.potrf = grid({10, 1, 1}, potrf);
  table.trsm = grid({12, 10, 1}, trsm);
  table.syrk = grid({10, 10, 1}, syrk);
  table.gemm = grid({12, 10, 10}, gemm);
  return table;
}

TEST(SlowerKernels, AreThoseThatTakeMuchLongerThanBefore) {
  const CostTable before = table_of(1e-10, 1e-10, 1e-10, 1e-10);
  EXPECT_TRUE(slower_kernels(before, before).empty());
  const auto slower = slower_kernels(table_of(1.1e-10, 0.5e-10, 1.3e-10, 2e-10), before);
  ASSERT_EQ(slower.size(), 2U);
  EXPECT_EQ(slower[0].kernel, "SYRK");
  EXPECT_EQ(slower[1].kernel, "GEMM");
  EXPECT_NEAR(slower[1].times, 2, 1e-12);
}

TEST(SlowerKernels, AreComparedAtSizesThatTakeTime) {
  const CostTable before = table_of(1e-10, 1e-10, 1e-10, 1e-10);
  CostTable now = before;
  for (int n = 0; n < 5; ++n) now.potrf.seconds[n] *= 10;
  EXPECT_TRUE(slower_kernels(now, before).empty());
  for (int n = 5; n < 10; ++n) now.potrf.seconds[n] *= 3;
  EXPECT_NEAR(slower_kernels(now, before).at(0).times, 3, 1e-12);
  CostTable small;  // has only one size
  small.potrf.seconds = small.trsm.seconds = small.syrk.seconds = small.gemm.seconds = {2e-10};
  EXPECT_EQ(slower_kernels(small, before).size(), 4U);
}

TEST(Doubts, NameTheKernelsAndSayWhatToDo) {
  EXPECT_THAT(doubts({}, {}, "x"), ElementsAre());
  EXPECT_THAT(doubts({{"GEMM", 0.456}, {"SYRK", 0.3}}, {{"TRSM", 1.5}}, "the calibration of May"),
              ElementsAre(AllOf(HasSubstr("46 % for GEMM, 30 % for SYRK"), HasSubstr("busy")),
                          AllOf(HasSubstr("the calibration of May: TRSM 1.50 times"),
                                HasSubstr("Calibrate again"))));
}

}  // namespace
}  // namespace espalier::internal
