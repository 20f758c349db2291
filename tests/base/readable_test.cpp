// SPDX-License-Identifier: BSD-3-Clause
#include "base/readable.hpp"

#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

TEST(ReadableSeconds, HaveThreeDigits) {
  EXPECT_EQ(readable_seconds(0), "0.00 s");
  EXPECT_EQ(readable_seconds(123.4), "123 s");
  EXPECT_EQ(readable_seconds(1.234), "1.23 s");
  EXPECT_EQ(readable_seconds(0.01234), "12.3 ms");
  EXPECT_EQ(readable_seconds(0.9996e-3), "1.00 ms");
  EXPECT_EQ(readable_seconds(4.5e-7), "450 ns");
}

TEST(ReadableAmount, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(readable_amount(0, "flop"), "0 flop");
  EXPECT_EQ(readable_amount(285, "flop"), "285 flop");
  EXPECT_EQ(readable_amount(999.7, "flop"), "1.00 kflop");
  EXPECT_EQ(readable_amount(1.234e11, "flop"), "123 Gflop");
}

TEST(ReadableEntries, AreExactIfFew) {
  EXPECT_EQ(readable_entries(1), "1 entry");
  EXPECT_EQ(readable_entries(99999), "99999 entries");
  EXPECT_EQ(readable_entries(1896645), "1.90 M entries");
}

TEST(SourceOfCosts, IsATableWithItsDayOrEstimates) {
  EXPECT_EQ(source_of_costs("calibrated", "/home/me/costs.json", "2026-01-31"),
            "the calibration of 2026-01-31, /home/me/costs.json");
  EXPECT_EQ(source_of_costs("named", "there.json", "2026-01-31"),
            "the calibration of 2026-01-31, there.json");
  EXPECT_EQ(source_of_costs("shipped", "epyc", "2026-02-01"),
            "the shipped table epyc of 2026-02-01");
  EXPECT_EQ(source_of_costs("scaled", "epyc", "2026-02-01"),
            "the costs of another processor of 2026-02-01, scaled to published rates by epyc");
  EXPECT_EQ(source_of_costs("analytic", "", ""), "built-in estimates");
  EXPECT_EQ(source_of_costs("simulated", "h100-8", "2026-02-01"), "the simulated machine h100-8");
}

}  // namespace
}  // namespace espalier::internal
