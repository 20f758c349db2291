// SPDX-License-Identifier: BSD-3-Clause

#include "base/halo_division.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace espalier::internal {
namespace {

using Rule = HaloDivision::Rule;

TEST(HaloDivision, IsReadFromItsText) {
  EXPECT_EQ(halo_division("mdwin"), HaloDivision{});
  EXPECT_EQ(halo_division("mdwin:paper"), HaloDivision{Rule::paper});
  EXPECT_EQ(halo_division("static0:0.3"), (HaloDivision{Rule::static0, 0.3}));
  EXPECT_EQ(halo_division("static0:1"), (HaloDivision{Rule::static0, 1}));
  EXPECT_EQ(halo_division("static1:0"), (HaloDivision{Rule::static1, 0}));
  EXPECT_EQ(halo_division("static1:0.5:64x32x8"), (HaloDivision{Rule::static1, 0.5, {64, 32, 8}}));
}

/// The default cut-offs are those of footnote 4 of HALO's paper: m_t = n_t = 512, k_t = 16.
TEST(HaloDivision, HasTheCutOffsOfThePaper) {
  const HaloDivision division = halo_division("static1:0.5").value();
  EXPECT_EQ(division, halo_division("static1:0.5:512x512x16"));
  EXPECT_FALSE(division.is_too_small(512, 512, 16));
  EXPECT_TRUE(division.is_too_small(511, 512, 16));
  EXPECT_TRUE(division.is_too_small(512, 511, 16));
  EXPECT_TRUE(division.is_too_small(512, 512, 15));
}

TEST(HaloDivision, CutsNothingOffButUnderStatic1) {
  EXPECT_FALSE(halo_division("mdwin")->is_too_small(1, 1, 1));
  EXPECT_FALSE(halo_division("static0:0.5")->is_too_small(1, 1, 1));
  EXPECT_TRUE(halo_division("static1:0.5")->is_too_small(1, 1, 1));
  EXPECT_FALSE(halo_division("static1:0.5:0x0x0")->is_too_small(1, 1, 1));
}

TEST(HaloDivision, IsRefusedWhereItIsNone) {
  for (const char* const text : {"",
                                 "mdwin:",
                                 "mdwin:0.5",
                                 "mdwin:papers",
                                 "static",
                                 "static0",
                                 "static0:",
                                 "static0:x",
                                 "static0:1.01",
                                 "static0:-0.1",
                                 "static0:nan",
                                 "static0:0.5 ",
                                 "static0:0.5:64x64x16",
                                 "static1:0.5:",
                                 "static1:0.5:64",
                                 "static1:0.5:64x64",
                                 "static1:0.5:64x64x",
                                 "static1:0.5:64x64x16x",
                                 "static1:0.5:64x-1x16",
                                 "static1:0.5:64x64x1.5",
                                 "static1:0.5:99999999999x1x1",
                                 "static2:1",
                                 "0.5"}) {
    EXPECT_FALSE(halo_division(text).has_value()) << text;
  }
}

TEST(HaloDivision, IsMadeOfTheWordsThatAreOffered) {
  for (const std::string_view word : halo_division_words) {
    const std::string text = std::string(word) + (word.ends_with(':') ? "0.5" : "");
    EXPECT_TRUE(halo_division(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace espalier::internal
