// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace espalier::internal {
namespace {

using testing::HasSubstr;

constexpr Judgement yes{Verdict::found};
constexpr Judgement no{Verdict::not_found};

Value rounds(double a, double b, double c) { return of_runs({a, b, c}); }

TEST(Values, AreMediansWithARange) {
  const Value value = rounds(3, 1, 2);
  EXPECT_EQ(value.median, 2);
  EXPECT_EQ(value.lowest, 1);
  EXPECT_EQ(value.highest, 3);
  EXPECT_EQ(value.runs, 3);
  EXPECT_EQ(exact(4).runs, 0);
  EXPECT_TRUE(Value{}.missing());
  EXPECT_FALSE(value.missing());
}

TEST(ValueOfRuns, HasARangeWithoutAFifthOfTheRunsAtEachEnd) {
  const auto range = [](const std::vector<double>& runs) {
    const Value value = of_runs(runs);
    return std::pair(value.lowest, value.highest);
  };
  EXPECT_EQ(range({7}), std::pair(7.0, 7.0));
  EXPECT_EQ(range({4, 100, 3, 1}), std::pair(1.0, 100.0));
  EXPECT_EQ(range({4, 100, 3, 1, 2}), std::pair(2.0, 4.0));
  EXPECT_EQ(range({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), std::pair(3.0, 8.0));
}

TEST(Values, PassTheirRangeToResults) {
  const Value ratio = rounds(2, 4, 6) / rounds(1, 2, 4);
  EXPECT_EQ(ratio.median, 2);
  EXPECT_EQ(ratio.lowest, 0.5);
  EXPECT_EQ(ratio.highest, 6);
  const Value difference = rounds(10, 11, 12) - rounds(1, 2, 3);
  EXPECT_EQ(difference.median, 9);
  EXPECT_EQ(difference.lowest, 7);
  EXPECT_EQ(difference.highest, 11);
  const Value sum = rounds(10, 11, 12) + exact(1);
  EXPECT_EQ(sum.lowest, 11);
  EXPECT_EQ(sum.highest, 13);
  EXPECT_EQ(sum.runs, 3);
  EXPECT_EQ((of_runs({1}) + rounds(1, 2, 3)).runs, 1);
  EXPECT_TRUE((Value{} / exact(1)).missing());
}

TEST(Values, HaveAGeometricMeanWithoutMissingOnes) {
  const Value mean = mean_factor({rounds(1, 2, 4), {}, rounds(4, 8, 9)});
  EXPECT_DOUBLE_EQ(mean.median, 4);
  EXPECT_DOUBLE_EQ(mean.lowest, 2);
  EXPECT_DOUBLE_EQ(mean.highest, 6);
  EXPECT_EQ(mean.runs, 3);
  EXPECT_TRUE(mean_factor({{}}).missing());
}

TEST(Values, AreReadWithTheirUnits) {
  EXPECT_EQ(readable(0.0123, Unit::seconds), "12.3 ms");
  EXPECT_EQ(readable(1.844, Unit::factor), "1.84");
  EXPECT_EQ(readable(0.375, Unit::percent), "37.5 %");
  EXPECT_EQ(readable(1564794, Unit::count), "1564794");
  EXPECT_EQ(readable(3.14e13, Unit::flops), "3.14e+13");
  EXPECT_EQ(readable(2.5e9, Unit::rate), "2.5 GB/s");
  EXPECT_EQ(readable(Value{}.median, Unit::seconds), "-");
  EXPECT_EQ(readable_range(rounds(1, 2, 3), Unit::factor), "1.00 to 3.00");
  EXPECT_EQ(readable_range(exact(2), Unit::factor), "");
  EXPECT_EQ(readable_range({}, Unit::factor), "");
}

TEST(Judgements, NeedDisjointRanges) {
  EXPECT_EQ(is_below(rounds(1, 2, 3), rounds(4, 5, 6)).verdict, Verdict::found);
  EXPECT_EQ(is_below(rounds(4, 5, 6), rounds(1, 2, 3)).verdict, Verdict::not_found);
  const Judgement open = is_below(rounds(1, 2, 4), rounds(3, 5, 6));
  EXPECT_EQ(open.verdict, Verdict::not_judged);
  EXPECT_THAT(open.reason, HasSubstr("overlap"));
  EXPECT_EQ(is_below(rounds(1, 2, 3), rounds(3, 4, 5)).verdict, Verdict::not_judged);
  EXPECT_EQ(is_below(exact(1), rounds(2, 3, 4)).verdict, Verdict::found);
}

TEST(Judgements, NeedTwoRoundsOfRealRuns) {
  const Judgement open = is_below(of_runs({1}), of_runs({5}));
  EXPECT_EQ(open.verdict, Verdict::not_judged);
  EXPECT_THAT(open.reason, HasSubstr("--rounds"));
  EXPECT_EQ(is_below(exact(1), exact(2)).verdict, Verdict::found);
  EXPECT_EQ(is_below(exact(2), exact(2)).verdict, Verdict::not_found);
}

TEST(Judgements, NeedBothValues) {
  EXPECT_THAT(is_below({}, exact(2)).reason, HasSubstr("missing"));
  EXPECT_THAT(is_below(exact(2), {}).reason, HasSubstr("missing"));
}

TEST(Judgements, CombineToOneForAllParts) {
  const Judgement open = not_judged("of the weather");
  EXPECT_EQ(all_of({yes, yes}).verdict, Verdict::found);
  EXPECT_EQ(all_of({yes, no, open}).verdict, Verdict::not_found);
  EXPECT_EQ(all_of({yes, open}).verdict, Verdict::not_judged);
  EXPECT_EQ(all_of({yes, open}).reason, "of the weather");
  EXPECT_EQ(all_of({}).verdict, Verdict::not_judged);
  EXPECT_EQ(tally({yes, no, open}), "1 of 3, 1 not judged");
  EXPECT_EQ(tally(each_below({exact(1), exact(4)}, {exact(2), exact(3)})), "1 of 2");
}

TEST(Judgements, CombineToOneForMostParts) {
  const Judgement open = not_judged("of the weather");
  EXPECT_EQ(most_of({yes, yes, no}).verdict, Verdict::found);
  EXPECT_EQ(most_of({yes, yes, open}).verdict, Verdict::found);
  EXPECT_EQ(most_of({yes, no}).verdict, Verdict::not_found);
  EXPECT_EQ(most_of({yes, no, no}).verdict, Verdict::not_found);
  EXPECT_EQ(most_of({yes, no, open}).verdict, Verdict::not_judged);
  EXPECT_EQ(most_of({yes, no, open}).reason, "of the weather");
  EXPECT_EQ(most_of({}).verdict, Verdict::not_judged);
}

}  // namespace
}  // namespace espalier::internal
