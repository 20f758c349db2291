// SPDX-License-Identifier: BSD-3-Clause
#include "base/backoff.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/clock.hpp"

namespace espalier::internal {
namespace {

using namespace std::chrono_literals;

/// Returns the number of sleeps of this thread.
long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST(Backoff, SleepsAtEachPollOfALongWait) {
  Backoff backoff(200us);
  const Stopwatch watch;
  while (watch.seconds() < 2e-3) backoff.pause();
  const long before = sleeps();
  for (int k = 0; k < 20; ++k) backoff.pause();
  EXPECT_GE(sleeps() - before, 20);
}

TEST(Backoff, IsAwakeAtTheBeginningOfEachWait) {
  Backoff backoff(200us);
  const long before = sleeps();
  for (int k = 0; k < 1000; ++k) {
    backoff.pause();
    backoff.reset();
  }
  EXPECT_LT(sleeps() - before, 100);
}

TEST(Backoff, LeavesTheTimerSlackOfTheThread) {
  const int before = prctl(PR_GET_TIMERSLACK);
  sleep_precisely(1us);
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), before);
}

TEST(YieldBudget, AllowsYieldsWhileTheyAreShort) {
  const YieldBudget::Clock::time_point now(5s);
  YieldBudget budget;
  EXPECT_TRUE(budget.allows(now));
  budget.charge(now, now + 20us);
  EXPECT_TRUE(budget.allows(now + 20us));
}

TEST(YieldBudget, SpendsOneTwentiethOfTheTimeOnTimeSlicesOfOthers) {
  const YieldBudget::Clock::time_point now(5s);
  YieldBudget budget;
  budget.charge(now, now + 4ms);
  EXPECT_FALSE(budget.allows(now + 4ms));
  EXPECT_FALSE(budget.allows(now + 83ms));
  EXPECT_TRUE(budget.allows(now + 84ms));
}

}  // namespace
}  // namespace espalier::internal
