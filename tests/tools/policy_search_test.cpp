// SPDX-License-Identifier: BSD-3-Clause
#include "tune/policy_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compare/comparison.hpp"
#include "espalier/error.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;

PolicyBench bench_of(const std::string& policy, Index devices = 0) {
  return policy_bench({.policy = policy, .devices = devices}, {}, {"a", "b"});
}

TEST(PolicyBench, HasTheOptionsWithAnEffectThatTheUserLeavesOpen) {
  EXPECT_THAT(bench_of("ktq").before, ElementsAre(Key("batch"), Key("dpq_us"), Key("inst_us")));
  EXPECT_THAT(bench_of("ktq:limits=size:inst_size=5").before,
              ElementsAre(Key("batch"), Key("dpq_size")));
  EXPECT_EQ(bench_of("ktq:limits=size").before.at("dpq_size"), "128");
  EXPECT_EQ(bench_of("ktq").before.at("batch"), "auto");
  EXPECT_THAT(bench_of("as=swcholesky:parts=1").before,
              ElementsAre(Key("batch"), Key("dpq_size"), Key("inst_size"), Key("levels")));
  EXPECT_THAT(bench_of("fanout", 1).before,
              ElementsAre(Key("threshold_gemm"), Key("threshold_potrf"), Key("threshold_syrk"),
                          Key("threshold_trsm")));
}

TEST(PolicyBench, IsRefusedWithoutSuchOptions) {
  for (const char* policy : {"fanout", "espalier", "lws", "ktq:batch=1:inst_us=1:dpq_us=9"}) {
    support::expect_error<UsageError>([&] { bench_of(policy); },
                                      {policy, "no numeric option", "help schedulers"});
  }
  support::expect_error<UnknownScheduler>([] { bench_of("nosuch"); }, {"nosuch"});
}

TEST(PolicyBench, WritesAPolicyWithValues) {
  EXPECT_EQ(bench_of("ktq:limits=size").policy_with({{"dpq_size", "64"}, {"inst_size", "4"}}),
            "ktq:limits=size:dpq_size=64:inst_size=4");
}

TEST(OptionNeighbour, StaysInTheRangesAndIsAllowed) {
  const PolicyBench bench = bench_of("as=swcholesky");
  RandomNumbers random(1);
  OptionValues values;
  for (int step = 0; step < 500; ++step) {
    values = neighbour(bench, values, step / 500.0, random);
    for (const SearchedOption& option : bench.options) {
      if (!values.contains(option.key)) continue;
      const double value = std::stod(values.find(option.key)->second);
      EXPECT_GE(value, option.lowest) << option.key;
      EXPECT_LE(value, option.highest) << option.key;
    }
    EXPECT_NO_THROW(parse_policies(bench.policy_with(values)));
  }
  EXPECT_EQ(values.size(), bench.options.size()) << "each option was changed";
}

/// Seconds that are least for inst_size=20 and do not depend on other options.
double seconds(const std::string& /*matrix*/, const OptionValues& values) {
  const auto at = values.find("inst_size");
  const double size = at == values.end() ? 8 : std::stod(at->second);
  return 1 + std::abs(std::log2(size / 20));
}

TEST(SearchOptions, FindsTheFastestValues) {
  const PolicyBench bench = bench_of("ktq:limits=size");
  double last = 0;
  const auto progress = [&](double share, double gain) {
    EXPECT_GE(share, last);
    EXPECT_GE(gain, 0);
    last = share;
  };
  const OptionValues found = search_options(bench, seconds, {60, 400, 1}, progress);
  ASSERT_TRUE(found.contains("inst_size"));
  EXPECT_NEAR(std::stod(found.at("inst_size")), 20, 2);
  const std::vector<MatrixGain> gains = option_gains(bench, seconds, found, 3);
  ASSERT_EQ(gains.size(), 2u);
  EXPECT_EQ(gains[0].measured_default, seconds("a", {}));
  EXPECT_EQ(gains[1].measured_tuned, seconds("b", found));
  EXPECT_EQ(objection(gains), "");
}

TEST(SearchOptions, FindsNothingIfNothingIsFaster) {
  const auto worse = [](const std::string&, const OptionValues& values) {
    return values.empty() ? 1.0 : 1.1;
  };
  EXPECT_THAT(search_options(bench_of("ktq"), worse, {60, 50, 1}, [](double, double) {}),
              IsEmpty());
}

}  // namespace
}  // namespace espalier::internal
