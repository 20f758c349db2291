// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <starpu.h>

#include <utility>

#include "espalier/espalier.hpp"
#include "schedulers/registry.hpp"
#include "support/expect_error.hpp"

namespace espalier {
namespace {

TEST(Runtime, StartsStarpuAndShutsItDown) {
  for (const SchedulerInfo& scheduler : known_schedulers()) {
    if (scheduler.name != "prio" && scheduler.name != "dmdas" && scheduler.name != "ws") continue;
    {
      const Runtime runtime(RuntimeOptions{2, scheduler.name});
      EXPECT_EQ(runtime.cpu_workers(), 2);
      EXPECT_EQ(runtime.scheduler(), scheduler.name);
    }
    EXPECT_FALSE(starpu_is_initialized());
  }
}

TEST(Runtime, MovesWithItsStarpu) {
  Runtime first(RuntimeOptions{1, "eager"});
  const Runtime second(std::move(first));
  EXPECT_EQ(second.scheduler(), "eager");
  EXPECT_TRUE(starpu_is_initialized());
}

TEST(Runtime, RefusesOptionsOutsideTheirRange) {
  support::expect_error<UsageError>(
      [] {
        Runtime runtime(RuntimeOptions{-1, "prio"});
      },
      {"workers is -1"});
  support::expect_error<UsageError>(
      [] {
        Runtime runtime(RuntimeOptions{5000, "prio"});
      },
      {"workers is 5000", "4096"});
  EXPECT_FALSE(starpu_is_initialized());
}

TEST(Runtime, RefusesAnUnknownScheduler) {
  support::expect_error<UnknownScheduler>(
      [] {
        Runtime runtime(RuntimeOptions{1, "best"});
      },
      {"'best'", "prio"});
  EXPECT_FALSE(starpu_is_initialized());
}

}  // namespace
}  // namespace espalier
