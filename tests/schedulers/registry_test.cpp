// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "espalier/error.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::Environment;

TEST(Registry, KnowsStarpusOwnPoliciesOnceEach) {
  std::set<std::string> names;
  for (const SchedulerInfo& scheduler : known_schedulers()) {
    EXPECT_FALSE(scheduler.name.empty());
    EXPECT_TRUE(names.insert(scheduler.name).second) << scheduler.name;
  }
  for (const char* name : {"prio", "lws", "eager", "random", "dmda", "dmdas"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Registry, ListsAllNamesInOneLine) {
  const std::string line = known_scheduler_names();
  EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::ssize(known_schedulers()) - 1);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  for (const SchedulerInfo& scheduler : known_schedulers()) {
    EXPECT_NE(line.find(scheduler.name), std::string::npos);
  }
}

TEST(Registry, PrefersTheOptionThenTheEnvironmentThenTheDefault) {
  {
    const Environment set("STARPU_SCHED", "eager");
    EXPECT_EQ(resolve_scheduler("lws"), "lws");
    EXPECT_EQ(resolve_scheduler(""), "eager");
  }
  for (const char* value : {static_cast<const char*>(nullptr), ""}) {
    const Environment none("STARPU_SCHED", value);
    EXPECT_EQ(resolve_scheduler("lws"), "lws");
    EXPECT_EQ(resolve_scheduler(""), default_scheduler);
  }
}

TEST(Registry, KnowsTheDefault) { EXPECT_NO_THROW(expect_known_scheduler(default_scheduler)); }

TEST(Registry, RefusesUnknownNamesAndListsTheKnownOnes) {
  const Environment none("STARPU_SCHED_LIB", nullptr);
  EXPECT_NO_THROW(expect_known_scheduler("dmdas"));
  for (const char* name : {"fastest", "", "PRIO", "prio "}) {
    support::expect_error<UnknownScheduler>(
        [&] { expect_known_scheduler(name); },
        {std::string("'") + name + "'", "prio", "lws", "eager", "dmdas"});
  }
}

TEST(Registry, TrustsALibraryOfPoliciesUntilStarpuRuns) {
  const Environment library("STARPU_SCHED_LIB", "libanything.so");
  EXPECT_NO_THROW(expect_known_scheduler("anything"));
  EXPECT_NO_THROW(verify_scheduler("anything", "anything"));
  support::expect_error<UnknownScheduler>([] { verify_scheduler("anything", "lws"); },
                                          {"'anything'", "prio"});
}

TEST(Registry, SaysWhyStarpuRunsAnotherPolicyThanAskedFor) {
  support::expect_error<UnknownScheduler>([] { verify_scheduler("prio", "lws"); },
                                          {"'lws'", "'prio'", "STARPU_SCHED"});
}

}  // namespace
}  // namespace espalier::internal
