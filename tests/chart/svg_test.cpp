// SPDX-License-Identifier: BSD-3-Clause
#include "chart/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace espalier::internal {
namespace {

using Kind = Axis::Kind;
using testing::DoubleEq;
using testing::HasSubstr;
using testing::Pointwise;

TEST(XmlText, LosesItsMeaningAsMarkup) {
  EXPECT_EQ(xml_text("a<b> & \"c\"\x01\xff"), "a&lt;b&gt; &amp; &quot;c&quot;??");
}

TEST(SvgPicture, HoldsItsElements) {
  Svg svg(100, 50);
  svg.rect({1, 2, 3, 4}, "#ffffff", "a < b", "task");
  svg.text(5, 6, "x & y", Svg::Anchor::end);
  const std::string text = svg.str("name");
  EXPECT_THAT(text, HasSubstr("<rect class=\"task\" x=\"1.00\""));
  EXPECT_THAT(text, HasSubstr("<title>a &lt; b</title></rect>"));
  EXPECT_THAT(text, HasSubstr("text-anchor=\"end\">x &amp; y</text>"));
  EXPECT_THAT(text, HasSubstr("<title>name</title>"));
}

TEST(AxisOfAChart, MapsItsRange) {
  const Axis linear(Kind::linear, 10, 20, 100, 300);
  EXPECT_DOUBLE_EQ(linear(10), 100);
  EXPECT_DOUBLE_EQ(linear(15), 200);
  const Axis logarithmic(Kind::logarithmic, 1e-3, 1e1, 400, 0);
  EXPECT_NEAR(logarithmic(1e-3), 400, 1e-9);
  EXPECT_NEAR(logarithmic(1e-1), 200, 1e-9);
}

TEST(AxisOfAChart, HasRoundTicksWithinItsRange) {
  EXPECT_THAT(Axis(Kind::linear, 0, 0.011, 0, 1).ticks(),
              Pointwise(DoubleEq(), {0.0, 0.002, 0.004, 0.006, 0.008, 0.01}));
  EXPECT_FALSE(std::signbit(Axis(Kind::linear, 0, 3, 0, 1).ticks().front()));
  EXPECT_THAT(Axis(Kind::linear, 0, 3, 0, 1).ticks(),
              Pointwise(DoubleEq(), {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0}));
  EXPECT_THAT(Axis(Kind::logarithmic, 2e-3, 1, 0, 1).ticks(),
              Pointwise(DoubleEq(), {1e-2, 1e-1, 1.0}));
}

TEST(AxisOfAChart, TakesARangeOfOneValue) {
  const Axis axis(Kind::linear, 0, 0, 70, 100);
  EXPECT_EQ(axis(0), 70);
  EXPECT_TRUE(axis.ticks().empty());
}

}  // namespace
}  // namespace espalier::internal
