// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/fixed_places.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace espalier::internal {
namespace {

TEST(FixedPlaces, AreThoseOfFanoutAndHalo) {
  Shape large{TaskKind::factor, 600, 200, 200};
  Shape shadow{TaskKind::update, 10, 10, 10};
  shadow.device = 0;
  const std::array lower{std::string("threshold_trsm=200000")};
  const FixedPlaces fanout("fanout", read_policy_settings("fanout"));
  EXPECT_TRUE(fanout.any());
  EXPECT_TRUE(fanout.on_device(large));
  EXPECT_FALSE(fanout.on_device(shadow));
  EXPECT_FALSE(FixedPlaces("fanout", read_policy_settings("fanout", lower)).on_device(large));
  const FixedPlaces halo("halo", read_policy_settings("halo"));
  EXPECT_TRUE(halo.any());
  EXPECT_FALSE(halo.on_device(large));
  EXPECT_TRUE(halo.on_device(shadow));
  for (const char* policy : {"espalier", "ktq", "eager"}) {
    const FixedPlaces free(policy, read_policy_settings(policy));
    EXPECT_FALSE(free.any()) << policy;
    EXPECT_FALSE(free.on_device(large)) << policy;
  }
}

TEST(FixedPlaces, GoByThresholdsOfThePaperOrByPredictionsOrByNumbersOfTheUser) {
  const auto from = [](std::vector<std::string> options) {
    return device_thresholds(read_policy_settings("fanout", options));
  };
  const DeviceThresholds paper = from({"threshold_trsm=7", "threshold_solve_gemm=8"});
  EXPECT_EQ(paper.potrf, 1500000);
  EXPECT_EQ(paper.trsm, 7);
  EXPECT_EQ(paper.solve_trsm, 7) << "as in the factorization";
  EXPECT_EQ(paper.gemm, 500000);
  EXPECT_EQ(paper.solve_gemm, 8);
  EXPECT_EQ(paper.foreign, 500000);
  EXPECT_EQ(from({"threshold_foreign=9"}).foreign, 9);
  EXPECT_EQ(from({"threshold_gemm=6"}).foreign, 6);
  const DeviceThresholds calibrated = from({"thresholds=calibrated", "threshold_syrk=9"});
  EXPECT_EQ(calibrated.potrf, std::nullopt);
  EXPECT_EQ(calibrated.syrk, 9);
  EXPECT_EQ(calibrated.solve_trsm, std::nullopt);
  EXPECT_EQ(calibrated.foreign, std::nullopt);
}

TEST(FixedPlaces, TakeBlocksOfOtherRanksFromASizeOn) {
  const std::array least{std::string("device_block=1000")};
  const FixedPlaces some("fanout", read_policy_settings("fanout", least));
  EXPECT_FALSE(some.arrives_on_device(999));
  EXPECT_TRUE(some.arrives_on_device(1000));
  EXPECT_TRUE(FixedPlaces("fanout", read_policy_settings("fanout")).arrives_on_device(8));
  EXPECT_TRUE(FixedPlaces("halo", read_policy_settings("halo")).arrives_on_device(8));
}

}  // namespace
}  // namespace espalier::internal
