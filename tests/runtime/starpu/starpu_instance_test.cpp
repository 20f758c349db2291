// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/starpu_instance.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <starpu.h>
#include <starpu_scheduler.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "espalier/error.hpp"
#include "runtime/starpu/application.hpp"
#include "runtime/starpu/notice_filter.hpp"
#include "schedulers/options.hpp"
#include "schedulers/registry.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::Application;
using support::Environment;
using support::expect_error;
using support::submit_empty_task;

TEST(StarpuInstance, RunsForItsLifeTimeWithTheWorkersAskedFor) {
  for (const Index workers : {1, 2, 3}) {
    ASSERT_FALSE(starpu_is_initialized());
    {
      const StarpuInstance instance(RuntimeOptions{workers, "lws"});
      EXPECT_TRUE(starpu_is_initialized());
      EXPECT_EQ(instance.cpu_workers(), workers);
      EXPECT_EQ(instance.workers(), workers);
      EXPECT_EQ(instance.active_scheduler(), "lws");
      EXPECT_EQ(instance.requested_scheduler(), "lws");
    }
    EXPECT_FALSE(starpu_is_initialized());
  }
}

TEST(StarpuInstance, TellsTheCoresThatItsWorkersMayRunOn) {
  const StarpuInstance instance(RuntimeOptions{2, "lws"});
  std::mutex mutex;
  std::set<Index> allowed;
  auto note = [&] {
    cpu_set_t own;
    ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
    const std::lock_guard lock(mutex);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &own)) allowed.insert(core);
    }
  };
  using Note = decltype(note);
  instance.resume();
  starpu_execute_on_each_worker([](void* f) { (*static_cast<Note*>(f))(); }, &note, STARPU_CPU);
  instance.pause();
  const std::vector<Index> cores = instance.cores();
  EXPECT_EQ(std::set<Index>(cores.begin(), cores.end()), allowed);
}

TEST(StarpuInstance, HasTheDefaultSchedulerWhereNobodyNamesOne) {
  const StarpuInstance instance(RuntimeOptions{1, ""});
  EXPECT_EQ(instance.active_scheduler(), resolve_scheduler(""));
}

TEST(StarpuInstance, RefusesAnUnknownSchedulerAndLeavesNothingRunning) {
  expect_error<UnknownScheduler>(
      [] {
        StarpuInstance instance(RuntimeOptions{1, "fastest"});
      },
      {"'fastest'", "lws", "dmdas"});
  EXPECT_FALSE(starpu_is_initialized());
}

TEST(StarpuInstance, RunsAPolicyOfEspalierThatTheEnvironmentNamesWithoutAWarning) {
  const Environment library("STARPU_SCHED_LIB", nullptr);
  const Environment silent("STARPU_SILENT", nullptr);
  const Environment scheduler("STARPU_SCHED", "fanout");
  const starpu_sched_policy* const first = *starpu_sched_get_predefined_policies();
  for (const char* const option : {"", "fanout"}) {
    testing::internal::CaptureStderr();
    {
      const StarpuInstance instance(RuntimeOptions{1, option});
      EXPECT_EQ(instance.active_scheduler(), "fanout");
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("was not found"), std::string::npos);
  }
  EXPECT_EQ(*starpu_sched_get_predefined_policies(), first);
}

TEST(NoticeFilter, DropsNoticesOfStarpuAndNothingElse) {
  constexpr const char* notice =
      "[starpu][host][f] No performance model for the bus, calibrating...\n";
  const auto printed = [&] {
    testing::internal::CaptureStderr();
    {
      const NoticeFilter filter;
      const NoticeFilter second;
      std::fprintf(stderr, "%s", notice);
      std::fprintf(stderr, "[starpu][host][f] cannot go on: %d\n", 7);
      std::fprintf(stderr, "mine: ... done\n");
    }
    std::fprintf(stderr, "after\n");
    return testing::internal::GetCapturedStderr();
  };
  const std::string others = "[starpu][host][f] cannot go on: 7\nmine: ... done\nafter\n";
  {
    const Environment silent("STARPU_SILENT", nullptr);
    EXPECT_EQ(printed(), others);
  }
  const Environment loud("STARPU_SILENT", "0");
  EXPECT_EQ(printed(), notice + others);
}

TEST(StarpuInstance, RefusesToStartBesideAnother) {
  const StarpuInstance first(RuntimeOptions{1, "prio"});
  expect_error<UsageError>(
      [] {
        StarpuInstance second(RuntimeOptions{1, "prio"});
      },
      {"inside_application"});
  EXPECT_TRUE(starpu_is_initialized());
}

TEST(StarpuInstance, KeepsItsOptionsBesideAnother) {
  const StarpuInstance first(RuntimeOptions{1, "fanout", {"steal=1"}});
  const Environment order("ESPALIER_READY_ORDER", "lifo");
  const StarpuInstance attached;
  EXPECT_EQ(first.policy_settings().text("steal"), "1");
  EXPECT_EQ(first.policy_settings().text("ready_order"), "priority");
  EXPECT_EQ(attached.policy_settings().text("steal"), "0");
  EXPECT_EQ(attached.policy_settings().text("ready_order"), "lifo");
  EXPECT_EQ(policy_settings("fanout").text("steal"), "1")
      << "contexts use the initial options of StarPU";
}

TEST(StarpuInstance, RefusesToAttachToNothing) {
  expect_error<UsageError>([] { StarpuInstance instance; }, {"starpu_init"});
}

TEST(StarpuInstance, LeavesTheApplicationsStarpuRunning) {
  const Application application("eager", 2);
  {
    const StarpuInstance instance;
    EXPECT_EQ(instance.cpu_workers(), 2);
    EXPECT_EQ(instance.active_scheduler(), "eager");
    EXPECT_EQ(instance.requested_scheduler(), "eager");
    instance.pause();
  }
  ASSERT_TRUE(starpu_is_initialized());
  std::atomic<int> runs = 0;
  submit_empty_task(runs);
  starpu_task_wait_for_all();
  EXPECT_EQ(runs, 1);
}

constexpr std::chrono::milliseconds soon(50);
constexpr std::chrono::seconds at_last(20);  ///< enough for a busy machine

/// Returns whether the workers of a private instance run a task in this time.
bool workers_run(std::chrono::milliseconds time) {
  std::atomic<int> runs = 0;
  submit_empty_task(runs);
  for (auto left = time; left.count() > 0 && runs == 0; --left) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const bool ran = runs == 1;
  if (!ran) {
    starpu_resume();
    starpu_task_wait_for_all();
    starpu_pause();
  }
  return ran;
}

TEST(StarpuInstance, IsPausedUntilItIsResumed) {
  const StarpuInstance instance(RuntimeOptions{2, "prio"});
  EXPECT_FALSE(workers_run(soon));
  instance.resume();
  EXPECT_TRUE(workers_run(at_last));
  instance.pause();
  EXPECT_FALSE(workers_run(soon));
}

TEST(StarpuInstance, RunsUntilEveryResumeHasItsPause) {
  const StarpuInstance instance(RuntimeOptions{2, "prio"});
  instance.resume();
  instance.resume();
  EXPECT_TRUE(workers_run(at_last));
  instance.pause();
  EXPECT_TRUE(workers_run(at_last));
  instance.pause();
  EXPECT_FALSE(workers_run(soon));
}

TEST(StarpuInstance, StaysPausedWhenAPauseOvertakesItsResume) {
  const StarpuInstance instance(RuntimeOptions{2, "prio"});
  instance.pause();
  instance.resume();
  EXPECT_FALSE(workers_run(soon));
  instance.resume();
  EXPECT_TRUE(workers_run(at_last));
  instance.pause();
}

TEST(StarpuInstance, CanBePausedAndResumedFromSeveralThreads) {
  const StarpuInstance instance(RuntimeOptions{2, "prio"});
  std::atomic<int> runs = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const int before = runs;
        instance.resume();
        submit_empty_task(runs);
        while (runs == before) std::this_thread::yield();
        instance.pause();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  instance.resume();
  starpu_task_wait_for_all();
  instance.pause();
  EXPECT_EQ(runs, 150);
}

}  // namespace
}  // namespace espalier::internal
