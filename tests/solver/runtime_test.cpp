// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>
#include <starpu.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "espalier/espalier.hpp"
#include "perfmodels/cost_model.hpp"
#include "perfmodels/sample_files.hpp"
#include "report/factor_report.hpp"
#include "runtime/starpu/application.hpp"
#include "schedulers/registry.hpp"
#include "solver/sample_solver.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
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

/// A user's data folder with a calibration of this processor, and another cost file.
class RuntimeCosts : public testing::Test {
 protected:
  RuntimeCosts() {
    std::filesystem::create_directories(folder_.path("espalier"));
    CostFile file = support::sample_costs();
    std::ofstream(named_) << to_json(file);
    file.cpu = cpu_name();
    std::ofstream(user_cost_file()) << to_json(file);
  }

  std::string source_with(const CostSource& costs) const {
    const Runtime runtime({.workers = 1, .scheduler = "prio", .costs = costs});
    return report_with(runtime).models.source;
  }
  Report report_with(const Runtime& runtime) const {
    return Factor(runtime, Analysis(matrix_, {.workers = 1})).report();
  }

  support::TemporaryFolder folder_;
  std::string place_ = folder_.path("");
  support::Environment home_{"XDG_DATA_HOME", place_.c_str()};
  std::string named_ = folder_.path("named.json");
  Matrix matrix_ = Matrix::load("laplace2d:9");
};

TEST_F(RuntimeCosts, AreOfTheSourceThatTheOptionsSelect) {
  EXPECT_EQ(source_with({}), "calibrated");
  EXPECT_EQ(source_with({.host = "estimates"}), "analytic");
  EXPECT_EQ(source_with({.host = named_}), "named");
}

TEST_F(RuntimeCosts, AreReadOnceWhenItStarts) {
  const Runtime runtime({.workers = 1, .scheduler = "prio"});
  std::filesystem::remove(user_cost_file());
  EXPECT_EQ(report_with(runtime).models.source, "calibrated");
  EXPECT_NE(Analysis(matrix_).report().models.source, "calibrated");
}

TEST_F(RuntimeCosts, HaveToBeReadableIfTheyAreNamed) {
  const std::string missing = folder_.path("missing.json");
  support::expect_error<InputError>([&] { source_with({.host = missing}); },
                                    {missing, "cannot be read"});
  EXPECT_FALSE(starpu_is_initialized());
}

}  // namespace
}  // namespace espalier::internal

/// Espalier inside an application that uses StarPU as well, and several factors at once.
namespace espalier::internal {
namespace {

using support::analysis_of;
using support::Application;
using support::submit_empty_task;
using support::with;

void submit_several(std::atomic<int>& runs, int count) {
  for (int i = 0; i < count; ++i) submit_empty_task(runs);
}

class InsideApplication : public testing::TestWithParam<Granularity> {};

TEST_P(InsideApplication, SubmitsBetweenItsTasksAndLeavesStarpuAsItWas) {
  const Application application("lws", 2);
  const Matrix matrix = Matrix::load("laplace2d:20");
  std::atomic<int> runs = 0;
  {
    const Runtime runtime = Runtime::inside_application();
    EXPECT_EQ(runtime.cpu_workers(), 2);
    EXPECT_EQ(runtime.scheduler(), "lws");
    Factor factor(runtime, analysis_of(matrix), with(GetParam()));
    const std::vector<double> b(400, 1.0);
    std::vector<double> first(400);
    std::vector<double> second(b);
    for (int repeat = 0; repeat < 3; ++repeat) {
      submit_several(runs, 30);
      factor.submit_factorize(matrix);
      submit_several(runs, 30);
      factor.submit_solve(b, first);
      second = b;
      factor.submit_solve(second, second);
      submit_several(runs, 30);
      ASSERT_TRUE(factor.wait().ok());
      EXPECT_EQ(first, second);
      const std::vector<double> product = matrix.multiply(first);
      for (const double value : product) ASSERT_NEAR(value, 1, 1e-11);
    }
    support::expect_solves(factor, matrix);
  }
  ASSERT_TRUE(starpu_is_initialized());
  submit_several(runs, 10);
  starpu_task_wait_for_all();
  EXPECT_EQ(runs, 3 * 90 + 10);
}

INSTANTIATE_TEST_SUITE_P(Granularities, InsideApplication,
                         testing::ValuesIn(support::all_granularities),
                         [](const auto& info) { return name_of(info.param); });

/// wait() waits for this factor only: it returns while a task of the application still runs.
TEST(InsideApplicationToo, WaitsForNothingButItsOwn) {
  const Application application("eager", 2);
  const Matrix matrix = Matrix::load("laplace2d:12");
  std::atomic<bool> may_end = false;
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = [](void**, void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
  };
  codelet.where = STARPU_CPU;
  starpu_task* const task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = &may_end;
  ASSERT_EQ(starpu_task_submit(task), 0);
  const Runtime runtime = Runtime::inside_application();
  Factor factor(runtime, analysis_of(matrix), with(Granularity::panel));
  EXPECT_TRUE(factor.factorize(matrix).ok());
  support::expect_solves(factor, matrix);
  EXPECT_FALSE(may_end) << "otherwise the test proves nothing";
  may_end = true;
  starpu_task_wait_for_all();
}

TEST(InsideApplicationToo, MayBeEnteredTwiceButNotBesideAPrivateInstance) {
  const Application application("prio", 1);
  const Runtime first = Runtime::inside_application();
  const Runtime second = Runtime::inside_application();
  EXPECT_EQ(second.cpu_workers(), 1);
  support::expect_error<UsageError>([] { Runtime runtime; }, {"inside_application"});
}

TEST(InsideApplicationToo, NeedsTheApplicationsStarpu) {
  support::expect_error<UsageError>([] { Runtime::inside_application(); }, {"starpu_init"});
}

/// Two threads each use a separate factor of the same analysis and runtime.
TEST(SeveralFactors, WorkAtOnceInTheirThreads) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:20");
  const Analysis analysis = analysis_of(matrix);
  for (const Granularity granularity : support::all_granularities) {
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        Factor factor(runtime, analysis, with(granularity));
        std::vector<double> values(matrix.values().begin(), matrix.values().end());
        for (double& value : values) value *= t + 1;
        const Matrix mine = matrix.with_values(values);
        for (int repeat = 0; repeat < 5; ++repeat) {
          const bool ok = factor.factorize(mine).ok();
          const Solution solution = factor.solve(std::vector<double>(400, 1.0));
          good += ok && solution.backward_error <= support::good;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 10);
  }
}

TEST(SeveralFactors, OfDifferentMatricesShareARuntime) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  std::vector<Factor> factors;
  std::vector<Matrix> matrices;
  for (const char* spec : {"laplace2d:9", "laplace3d:5", "elasticity3d:2x2x2", "irregular2d:80"}) {
    matrices.push_back(Matrix::load(spec));
    factors.emplace_back(runtime, analysis_of(matrices.back()), with(Granularity::tile));
  }
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i].submit_factorize(matrices[i]);
  for (std::size_t i = factors.size(); i-- > 0;) {
    ASSERT_TRUE(factors[i].wait().ok());
    support::expect_solves(factors[i], matrices[i]);
  }
}

}  // namespace
}  // namespace espalier::internal
