// SPDX-License-Identifier: BSD-3-Clause
#include "solver/shared_starpu.hpp"

#include <gtest/gtest.h>
#include <starpu.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "espalier/espalier.hpp"
#include "runtime/starpu/application.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::analysis_of;
using support::expect_error;

TEST(SharedRuntime, ShutsStarpuDownWithTheLastOne) {
  std::optional<Runtime> first = Runtime::shared(RuntimeOptions{2, "prio"});
  std::optional<Runtime> second = Runtime::shared();
  EXPECT_EQ(second->cpu_workers(), 2);
  EXPECT_EQ(second->scheduler(), "prio");
  const Matrix matrix = Matrix::load("laplace2d:12");
  {
    Factor factor(*second, analysis_of(matrix));
    first.reset();
    ASSERT_TRUE(starpu_is_initialized());
    ASSERT_TRUE(factor.factorize(matrix).ok());
    support::expect_solves(factor, matrix);
  }
  second.reset();
  EXPECT_FALSE(starpu_is_initialized());
}

TEST(SharedRuntime, StartsAnewAfterTheLastOne) {
  for (const char* scheduler : {"eager", "prio"}) {
    const Runtime runtime = Runtime::shared(RuntimeOptions{1, scheduler});
    EXPECT_EQ(runtime.scheduler(), scheduler);
    EXPECT_EQ(runtime.cpu_workers(), 1);
  }
  EXPECT_FALSE(starpu_is_initialized());
}

TEST(SharedRuntime, MovesWithItsShare) {
  Runtime first = Runtime::shared(RuntimeOptions{1, "eager"});
  Runtime second(std::move(first));
  Runtime third = Runtime::shared();
  third = std::move(second);
  EXPECT_TRUE(starpu_is_initialized());
  EXPECT_EQ(third.scheduler(), "eager");
}

TEST(SharedRuntime, TakesOptionsThatHoldAlready) {
  const RuntimeOptions options{2, "espalier"};
  const Runtime first = Runtime::shared(options);
  EXPECT_NO_THROW(Runtime::shared(options));
  EXPECT_NO_THROW(Runtime::shared(RuntimeOptions{2, ""}));
  EXPECT_NO_THROW(Runtime::shared(RuntimeOptions{0, "espalier"}));
}

TEST(SharedRuntime, RefusesOptionsThatContradictWhatRuns) {
  RuntimeOptions options{2, "fanout"};
  options.scheduler_options = {"ready_order=fifo"};
  const Runtime first = Runtime::shared(options);
  const auto refuse = [](const RuntimeOptions& wanted) {
    expect_error<UsageError>([&] { Runtime::shared(wanted); },
                             {"2 CPU workers", "fanout", "ready_order=fifo", "0 CUDA devices"});
  };
  refuse(RuntimeOptions{1, ""});
  refuse(RuntimeOptions{0, "prio"});
  refuse(RuntimeOptions{0, "", {"ready_order=lifo"}});
  refuse({.costs = {.host = "estimates"}});
  EXPECT_NO_THROW(Runtime::shared(RuntimeOptions{0, "", {"ready_order=fifo"}}));
  expect_error<UsageError>([] { Runtime::shared(RuntimeOptions{-1, ""}); }, {"workers is -1"});
  EXPECT_EQ(Runtime::shared().scheduler(), "fanout") << "a refusal changes nothing";
}

TEST(SharedRuntime, KeepsTheCostsOfTheFirstOne) {
  const RuntimeOptions options{.workers = 1, .costs = {.host = "estimates"}};
  const Runtime first = Runtime::shared(options);
  EXPECT_NO_THROW(Runtime::shared(options));
  EXPECT_NO_THROW(Runtime::shared());
  expect_error<UsageError>([] { Runtime::shared({.costs = {.host = "other.json"}}); },
                           {"costs by estimates"});
}

TEST(SharedRuntime, IsNoneBesideAnExclusiveOne) {
  {
    const Runtime exclusive(RuntimeOptions{1, "prio"});
    expect_error<UsageError>([] { Runtime::shared(); }, {"runs already"});
  }
  const Runtime shared = Runtime::shared(RuntimeOptions{1, "prio"});
  expect_error<UsageError>([] { const Runtime exclusive; }, {"Runtime::shared()"});
}

TEST(SharedRuntime, IsNoneBesideTheApplicationsStarpu) {
  const support::Application application("prio", 1);
  expect_error<UsageError>([] { Runtime::shared(); }, {"inside_application"});
}

/// Threads start, use and end the runtime at any time. StarPU starts and ends many times, but only
/// one at a time exists.
TEST(SharedRuntime, IsForAnyNumberOfThreads) {
  const Matrix matrix = Matrix::load("laplace2d:6");
  const Analysis analysis = analysis_of(matrix);
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        const Runtime runtime = Runtime::shared(RuntimeOptions{1, "prio"});
        Factor factor(runtime, analysis);
        if (!factor.factorize(matrix).ok()) continue;
        const Solution solution = factor.solve(std::vector<double>(36, 1.0));
        good += solution.backward_error <= support::good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 15);
  EXPECT_FALSE(starpu_is_initialized());
}

}  // namespace
}  // namespace espalier::internal
