// SPDX-License-Identifier: BSD-3-Clause
// Properties of all policies, see scheduled_factor.hpp. Each policy has another file for its
// special properties.

#include "schedulers/own_policies.hpp"

#include <gtest/gtest.h>
#include <starpu.h>

#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "schedulers/scheduled_factor.hpp"
#include "solver/sample_solver.hpp"
#include "support/environment.hpp"

namespace espalier::internal {
namespace {

std::vector<std::string> own_policy_names() {
  std::vector<std::string> names;
  for (const starpu_sched_policy* const policy : own_policies()) {
    names.emplace_back(policy->policy_name);
  }
  return names;
}

class Promises : public testing::TestWithParam<std::tuple<std::string, Index>> {};

TEST_P(Promises, EachTaskOnceInAnAllowedOrderWithTheFactorOfTheOracle) {
  const auto& [policy, workers] = GetParam();
  int factors = 0;
  support::ScheduledFactors(policy, workers).for_each([&](const auto&, const auto&) { ++factors; });
  EXPECT_GT(factors, 25);
}

INSTANTIATE_TEST_SUITE_P(Policies, Promises,
                         testing::Combine(testing::ValuesIn(own_policy_names()),
                                          testing::Values(1, 2, 4)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

/// Factorizes and solves several times with one factor.
void expect_right_again_and_again(const Runtime& runtime, const std::string& problem,
                                  Granularity granularity) {
  const Matrix matrix = Matrix::load(problem);
  Factor factor(runtime, support::analysis_of(matrix), support::with(granularity));
  for (int time = 0; time < 10; ++time) {
    EXPECT_TRUE(factor.factorize(matrix).ok());
    support::expect_solves(factor, matrix);
  }
}

int is_for_worker(unsigned worker, starpu_task* task, unsigned /*implementation*/) {
  return *static_cast<const unsigned*>(task->cl_arg) == worker ? 1 : 0;
}

/// Applications may submit tasks that a single worker can execute. The other idle workers cannot
/// take them.
TEST(EspalierPolicy, WakesTheOneWorkerThatCanExecuteATask) {
  const support::Watchdog watchdog;
  RuntimeOptions options;
  options.workers = 4;
  options.scheduler = "espalier";
  const Runtime runtime(options);
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = [](void* /*data*/[], void* argument) {
    EXPECT_EQ(starpu_worker_get_id_check(), *static_cast<const unsigned*>(argument));
  };
  codelet.can_execute = is_for_worker;
  starpu_resume();
  for (unsigned worker : {0, 3, 1, 2, 3}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // until all workers are idle
    EXPECT_EQ(starpu_task_insert(&codelet, STARPU_CL_ARGS_NFREE, &worker, sizeof worker, 0), 0);
    starpu_task_wait_for_all();
  }
  starpu_pause();
}

class TwoFactors : public testing::TestWithParam<std::string> {};

TEST_P(TwoFactors, AreRightInTwoThreadsAtOnce) {
  const support::Watchdog watchdog;
  // With a library of policies, halo is not refused if there are no devices.
  const support::Environment library("STARPU_SCHED_LIB", "none");
  const Runtime runtime({.workers = 2, .scheduler = GetParam()});
  EXPECT_EQ(runtime.scheduler(), GetParam());
  std::thread other(
      [&] { expect_right_again_and_again(runtime, "laplace3d:8", Granularity::tile); });
  expect_right_again_and_again(runtime, "laplace2d:20", Granularity::block);
  other.join();
}

INSTANTIATE_TEST_SUITE_P(Policies, TwoFactors,
                         testing::Values("espalier", "fanout", "halo", "ktq", "levelset",
                                         "hlevelset"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace espalier::internal
