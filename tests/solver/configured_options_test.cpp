// SPDX-License-Identifier: BSD-3-Clause
#include "solver/configured_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/error.hpp"
#include "schedulers/configurations.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using testing::ElementsAre;
using testing::IsEmpty;

Options options_by(const std::vector<const char*>& assignments) {
  Options options;
  for (const char* const assignment : assignments) options.set(assignment);
  return options;
}

const Configuration& followed(const Options& options) { return options.analysis.configuration; }

TEST(Configured, OptionsHaveAllValuesOfTheTable) {
  for (const PaperConfiguration& paper : paper_configurations()) {
    Options one_by_one;
    for (const auto& [assignment, section] : paper.options) one_by_one.set(assignment);
    Options configured;
    configured.set("as", paper.name);
    EXPECT_EQ(followed(configured).name, paper.name);
    EXPECT_THAT(followed(configured).overridden, IsEmpty());
    EXPECT_EQ(followed(configured).granularity, one_by_one.factor.granularity);
    EXPECT_EQ(configured.runtime, one_by_one.runtime);
    EXPECT_EQ(configured.analysis.ordering, one_by_one.analysis.ordering);
    EXPECT_EQ(configured.analysis.panel_width, one_by_one.analysis.panel_width);
    EXPECT_EQ(configured.analysis.narrow_panel_width, one_by_one.analysis.narrow_panel_width);
    EXPECT_EQ(configured.factor.granularity, one_by_one.factor.granularity);
    EXPECT_EQ(configured.factor.mapping, one_by_one.factor.mapping);
    EXPECT_EQ(configured.factor.kernels.from, one_by_one.factor.kernels.from);
  }
}

TEST(Configured, OptionsAreThoseOfThePapers) {
  const Options sympack = options_by({"as=sympack"});
  EXPECT_EQ(sympack.analysis.ordering, "scotch");
  EXPECT_EQ(sympack.factor.mapping, Mapping::block_cyclic);
  EXPECT_EQ(sympack.runtime.scheduler, "fanout");
  const Options halo = options_by({"as=halo"});
  EXPECT_EQ(halo.analysis.ordering, "metis");
  EXPECT_EQ(halo.analysis.panel_width, 192);
  EXPECT_THAT(halo.runtime.scheduler_options, ElementsAre("halo=mdwin:paper"));
  const Options swcholesky = options_by({"as=swcholesky"});
  EXPECT_EQ(swcholesky.factor.granularity, Granularity::block);
  EXPECT_EQ(swcholesky.factor.mapping, Mapping::proportional) << "the paper has one process";
}

TEST(Configured, OptionsYieldToThoseThatAreSetBeforeOrAfter) {
  const std::vector<const char*> orders[] = {
      {"as=swcholesky", "granularity=tile", "sched-option=fuse=0", "workers=3"},
      {"granularity=tile", "sched-option=fuse=0", "workers=3", "as=swcholesky"},
      {"sched-option=fuse=0", "as=swcholesky", "workers=3", "granularity=tile"}};
  for (const auto& order : orders) {
    const Options options = options_by(order);
    EXPECT_EQ(options.factor.granularity, Granularity::tile);
    EXPECT_EQ(followed(options).granularity, Granularity::tile);
    EXPECT_EQ(options.runtime.scheduler_options.back(), "fuse=0");
    EXPECT_EQ(std::ranges::count(options.runtime.scheduler_options, "fuse=1"), 0);
    EXPECT_EQ(std::ranges::count(options.runtime.scheduler_options, "limits=size"), 1);
    EXPECT_THAT(followed(options).overridden, ElementsAre("granularity=tile", "fuse=0"));
  }
}

TEST(Configured, OptionsThatAreSetToTheSameValueAreNotOverridden) {
  const Options options = options_by({"granularity=block", "as=sympack", "sched=fanout"});
  EXPECT_THAT(followed(options).overridden, IsEmpty());
  EXPECT_EQ(options.runtime.scheduler_options.size(), 4u);
}

TEST(Configured, OptionsOfAPolicyThatAreSetStayForAnotherPolicy) {
  for (const auto& order : {std::vector{"as=swcholesky", "sched-option=fuse=1", "sched=lws"},
                            std::vector{"sched=lws", "sched-option=fuse=1", "as=swcholesky"}}) {
    EXPECT_THAT(options_by(order).runtime.scheduler_options, ElementsAre("fuse=1"))
        << "so that lws refuses it";
  }
}

TEST(Configured, OptionsOfAPolicyAreLeftOutIfAnotherPolicyRuns) {
  for (const bool first : {true, false}) {
    Options options = options_by(first ? std::vector{"sched=lws", "as=swcholesky"}
                                       : std::vector{"as=swcholesky", "sched=lws"});
    EXPECT_EQ(options.runtime.scheduler, "lws");
    EXPECT_THAT(options.runtime.scheduler_options, IsEmpty());
    EXPECT_EQ(options.analysis.ordering, "metis");
    EXPECT_THAT(followed(options).overridden, ElementsAre("sched=lws"));
    options.set("sched=ktq");
    EXPECT_EQ(options.runtime, options_by({"as=swcholesky"}).runtime);
    EXPECT_THAT(followed(options).overridden, IsEmpty());
  }
}

TEST(Configured, ShortFormsOfOptionsOverrideAsWell) {
  const Options options = options_by({"halo=static0:0.5", "as=halo", "device-memory=1K"});
  EXPECT_THAT(options.runtime.scheduler_options,
              ElementsAre("halo=static0:0.5", "device_memory=1024"));
  EXPECT_THAT(followed(options).overridden, ElementsAre("halo=static0:0.5"));
}

TEST(Configured, OptionsFollowOneConfigurationOnly) {
  expect_error<UsageError>(
      [] {
        options_by({"as=halo", "as=sympack"});
      },
      {"as=halo and as=sympack contradict each other"});
  EXPECT_EQ(followed(options_by({"as=halo", "as=halo"})).name, "halo");
  expect_error<UsageError>([] { options_by({"as=sympak"}); },
                           {"as: 'sympak' is unknown; did you mean sympack? choose one of sympack, "
                            "halo, swcholesky"});
}

TEST(Configured, OptionsWithoutAConfigurationFollowNone) {
  const Options options = options_by({"granularity=tile", "sched-option=fuse=0"});
  EXPECT_TRUE(followed(options).name.empty());
  EXPECT_THAT(followed(options).overridden, IsEmpty());
  EXPECT_EQ(followed(options).granularity, Granularity::automatic);
  EXPECT_THAT(options.given, ElementsAre("granularity=tile", "sched-option=fuse=0"));
}

}  // namespace
}  // namespace espalier::internal
