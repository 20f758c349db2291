// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/fixed_places.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace espalier::internal {
namespace {

TEST(FixedPlaces, AreThoseOfFanoutAndHalo) {
  Shape large{TaskKind::factor, 600, 200, 200};
  Shape shadow{TaskKind::update, 10, 10, 10};
  shadow.device = 0;
  const std::array lower{std::string("threshold_trsm=200000")};
  const FixedPlaces fanout(traits_of_policy("fanout"), read_policy_settings("fanout"));
  EXPECT_TRUE(fanout.any());
  EXPECT_TRUE(fanout.on_device(large));
  EXPECT_FALSE(fanout.on_device(shadow));
  EXPECT_FALSE(FixedPlaces(traits_of_policy("fanout"), read_policy_settings("fanout", lower))
                   .on_device(large));
  const FixedPlaces halo(traits_of_policy("halo"), read_policy_settings("halo"));
  EXPECT_TRUE(halo.any());
  EXPECT_FALSE(halo.on_device(large));
  EXPECT_TRUE(halo.on_device(shadow));
  for (const char* policy : {"espalier", "ktq", "eager"}) {
    const FixedPlaces free(traits_of_policy(policy), read_policy_settings(policy));
    EXPECT_FALSE(free.any()) << policy;
    EXPECT_FALSE(free.on_device(large)) << policy;
  }
}

TEST(FixedPlaces, GoByThresholdsOfThePaperOrByPredictionsOrByNumbersOfTheUser) {
  const auto from = [](std::vector<std::string> options) {
    return device_thresholds(read_policy_settings("fanout", options));
  };
  const auto expect = [](const DeviceThreshold& threshold, double entries, bool unless_measured) {
    EXPECT_EQ(threshold.entries, entries);
    EXPECT_EQ(threshold.unless_measured, unless_measured);
  };
  const DeviceThresholds paper =
      from({"thresholds=paper", "threshold_trsm=7", "threshold_solve_gemm=8"});
  expect(paper.potrf, 1500000, false);
  expect(paper.trsm, 7, false);
  EXPECT_EQ(paper.solve_trsm.entries, 7) << "as in the factorization";
  expect(paper.gemm, 500000, false);
  expect(paper.solve_gemm, 8, false);
  expect(paper.foreign, 500000, false);
  expect(from({"threshold_foreign=9"}).foreign, 9, false);
  expect(from({"threshold_gemm=6"}).foreign, 6, false);
  constexpr double never = std::numeric_limits<double>::infinity();
  const DeviceThresholds calibrated = from({"thresholds=calibrated", "threshold_syrk=9"});
  expect(calibrated.potrf, never, true);
  expect(calibrated.syrk, 9, false);
  expect(calibrated.solve_trsm, never, true);
  expect(calibrated.foreign, never, true);
  const DeviceThresholds automatic = from({"threshold_syrk=9"});
  expect(automatic.potrf, 1500000, true);
  expect(automatic.syrk, 9, false);
  expect(automatic.solve_gemm, 500000, true);
  expect(automatic.foreign, 500000, true);
}

TEST(FixedPlaces, TakeBlocksOfOtherRanksFromASizeOn) {
  const std::array least{std::string("device_block=1000")};
  const FixedPlaces some(traits_of_policy("fanout"), read_policy_settings("fanout", least));
  EXPECT_FALSE(some.arrives_on_device(999));
  EXPECT_TRUE(some.arrives_on_device(1000));
  EXPECT_TRUE(
      FixedPlaces(traits_of_policy("fanout"), read_policy_settings("fanout")).arrives_on_device(8));
  EXPECT_TRUE(
      FixedPlaces(traits_of_policy("halo"), read_policy_settings("halo")).arrives_on_device(8));
}

TEST(FixedPlaces, NeedCostsIfTheThresholdsAreToBeCalibrated) {
  const std::array calibrated{std::string("thresholds=calibrated")};
  EXPECT_TRUE(thresholds_need_costs(read_policy_settings("fanout", calibrated)));
  EXPECT_FALSE(thresholds_need_costs(read_policy_settings("fanout")));
}

TEST(FixedPlaces, AreDividedByTheOptionsOfThePolicy) {
  const PlannedDivision usual = planned_division(read_policy_settings("halo"));
  EXPECT_EQ(usual.rule.rule, HaloDivision::Rule::mdwin);
  EXPECT_EQ(usual.device_bytes, std::numeric_limits<Count>::max());
  const std::array options{std::string("halo=static0:0.5"), std::string("device_memory=1000")};
  const PlannedDivision chosen = planned_division(read_policy_settings("halo", options));
  EXPECT_EQ(chosen.rule.rule, HaloDivision::Rule::static0);
  EXPECT_EQ(chosen.device_bytes, 1000);
}

}  // namespace
}  // namespace espalier::internal
