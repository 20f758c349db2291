// SPDX-License-Identifier: BSD-3-Clause

#include "tune/trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

using testing::HasSubstr;

/// Times with the defaults are 2 seconds.
MatrixGain gain(const std::string& matrix, double predicted, double measured) {
  return {matrix, 2, 2 * (1 - predicted), 2, 2 * (1 - measured)};
}

TEST(MatrixGainTest, IsAShareOfTheTimeWithTheDefaults) {
  const std::vector<MatrixGain> gains{gain("a", 0.25, 0.125), gain("b", 0.75, -0.125)};
  EXPECT_DOUBLE_EQ(gains[0].predicted(), 0.25);
  EXPECT_DOUBLE_EQ(gains[1].measured(), -0.125);
  EXPECT_DOUBLE_EQ(predicted_gain(gains), 0.5);
  EXPECT_DOUBLE_EQ(measured_gain(gains), 0);
}

TEST(Objection, IsNoneToAGainOfAllOrOfMost) {
  EXPECT_EQ(objection(std::vector{gain("a", 0.1, 0.03)}), "");
  EXPECT_EQ(objection(std::vector{gain("a", 0.1, 0.05), gain("b", 0.1, -0.019)}), "");
}

TEST(Objection, IsToALossOfTheWholeWhateverWasPredicted) {
  EXPECT_THAT(objection(std::vector{gain("a", 0.5, -0.001)}), HasSubstr("measured gain is -0.1 %"));
  EXPECT_THAT(objection(std::vector{gain("a", 0.5, 0.01), gain("b", 0.5, -0.015)}),
              HasSubstr("measured gain is -0.2 %"));
}

TEST(Objection, IsToAGainThatMayBeNone) {
  EXPECT_THAT(objection(std::vector{gain("a", 0.5, 0.004)}), HasSubstr("0.4 %"));
}

TEST(Objection, IsToALossOfASingleMatrix) {
  EXPECT_EQ(objection(std::vector{gain("a", 0.5, 0.3), gain("b", 0.1, -0.025)}), "b loses 2.5 %");
}

TEST(Better, IsWhatMaySafelyBeUsedThenWhatSavesMore) {
  const std::vector small{gain("a", 0.5, 0.01), gain("b", 0.5, 0.02)};
  const std::vector large{gain("a", 0.1, 0.03), gain("b", 0.1, 0.02)};
  const std::vector unsafe{gain("a", 0.5, 0.3), gain("b", 0.5, -0.03)};
  EXPECT_TRUE(better(large, small));
  EXPECT_FALSE(better(small, large));
  EXPECT_TRUE(better(small, unsafe));
  EXPECT_FALSE(better(unsafe, small));
}

TEST(Remeasured, KeepsThePredictions) {
  const auto gains = remeasured({gain("a", 0.5, 0.3)}, std::vector{gain("a", 0.1, 0.25)});
  ASSERT_EQ(gains.size(), 1u);
  EXPECT_EQ(gains[0].predicted(), 0.5);
  EXPECT_EQ(gains[0].measured(), 0.25);
}

}  // namespace
}  // namespace espalier::internal
