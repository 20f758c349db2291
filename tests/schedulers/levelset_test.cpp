// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "espalier/espalier.hpp"
#include "schedulers/levels.hpp"
#include "schedulers/scheduled_factor.hpp"

namespace espalier::internal {
namespace {

class Levels : public testing::TestWithParam<Index> {
 protected:
  /// Calls visit(tasks with the records of their run). Tasks are submitted before workers start,
  /// because a barrier does not delay tasks that are submitted later.
  template <class Visit>
  static void for_each_factor(const std::string& policy, Visit visit) {
    using Factors = support::ScheduledFactors;
    Factors(policy, GetParam(), {}, Factors::Start::when_submitted)
        .for_each([&](const TaskGraph&, const TaskList& list) { visit(list); });
  }
};

TEST_P(Levels, FollowEachOtherWithABarrierBetweenThem) {
  std::size_t most = 0;
  for_each_factor("levelset", [&](const TaskList& list) {
    most = std::max(most, support::expect_barriers(&Shape::level, list));
  });
  EXPECT_GT(most, 5u);
}

TEST_P(Levels, MergedFollowEachOtherWithABarrierBetweenThem) {
  std::size_t most = 0;
  for_each_factor("hlevelset", [&](const TaskList& list) {
    most = std::max(most, support::expect_barriers(&Shape::l_partition, list));
  });
  EXPECT_GT(most, 2u);
}

TEST_P(Levels, MergedHaveEachWPartitionOnOneWorker) {
  std::size_t most = 0;
  for_each_factor("hlevelset", [&](const TaskList& list) {
    std::map<std::pair<Index, Index>, Index> worker;
    for (const BoundTask& task : list.task) {
      const auto part = std::pair(task.shape.l_partition, task.shape.w_partition);
      const Index first = worker.try_emplace(part, task.record.worker).first->second;
      EXPECT_EQ(task.record.worker, first) << part.first << ", " << part.second;
    }
    most = std::max(most, worker.size());
  });
  EXPECT_GT(most, 3u);
}

/// The matrix is connected, so that an l-partition of all levels has a single w-partition.
TEST(LevelsOption, ReachesThePlanOfAFactor) {
  const support::Watchdog watchdog;
  const Matrix matrix = Matrix::load("laplace3d:20");
  AnalysisOptions options;
  options.workers = 2;
  const Analysis analysis(matrix, options);
  std::map<std::string, std::set<Index>> workers;
  for (const char* const option : {"levels=1", "levels=1000000"}) {
    const Runtime runtime(RuntimeOptions{2, "hlevelset", {option}});
    Factor factor(runtime, analysis);
    for (int run = 0; run < 20 && workers[option].size() < 2; ++run) {
      ASSERT_TRUE(factor.factorize(matrix).ok());
      const Schedule schedule = factor.schedule();
      for (const TaskRun& task : schedule.tasks) workers[option].insert(task.worker);
    }
  }
  EXPECT_EQ(workers["levels=1"].size(), 2u);
  EXPECT_EQ(workers["levels=1000000"].size(), 1u);
}

/// Layers of tasks of another program. Each task reads results of some tasks of the previous layer.
class ExternalLayers {
 public:
  struct Layer {
    double begin = std::numeric_limits<double>::max();
    double end = 0;
  };

  ExternalLayers(Index layers, Index width)
      : layers_(layers), width_(width), tasks_(layers * width) {
    starpu_codelet_init(&codelet_);
    codelet_.cpu_funcs[0] = run;
    codelet_.nbuffers = STARPU_VARIABLE_NBUFFERS;
    for (Task& task : tasks_) {
      task.clock = &clock_;
      starpu_variable_data_register(&task.handle, STARPU_MAIN_RAM,
                                    reinterpret_cast<uintptr_t>(&task.value), sizeof(int));
    }
  }
  ~ExternalLayers() {
    for (const Task& task : tasks_) starpu_data_unregister(task.handle);
  }
  ExternalLayers(const ExternalLayers&) = delete;
  ExternalLayers& operator=(const ExternalLayers&) = delete;

  void submit() {
    for (Index t = 0; t < layers_ * width_; ++t) {
      starpu_task* const task = starpu_task_create();
      task->cl = &codelet_;
      task->cl_arg = &tasks_[t];
      add(*task, t, STARPU_W);
      const Index before = t - t % width_ - width_;
      for (Index read = 0; before >= 0 && read <= t % 3; ++read) {
        add(*task, before + (7 * t + 5 * read) % width_, STARPU_R);
      }
      ASSERT_EQ(starpu_task_submit(task), 0);
    }
  }

  std::vector<Layer> times() const {
    std::vector<Layer> times(layers_);
    for (Index t = 0; t < layers_ * width_; ++t) {
      Layer& layer = times[t / width_];
      layer.begin = std::min(layer.begin, tasks_[t].begin);
      layer.end = std::max(layer.end, tasks_[t].end);
    }
    return times;
  }

 private:
  struct Task {
    const Stopwatch* clock;
    starpu_data_handle_t handle;
    int value = 0;
    double begin = 0;
    double end = 0;
  };

  void add(starpu_task& task, Index written_by, starpu_data_access_mode mode) const {
    task.handles[task.nbuffers] = tasks_[written_by].handle;
    task.modes[task.nbuffers] = mode;
    ++task.nbuffers;
  }

  static void run(void** /*buffers*/, void* argument) {
    Task& task = *static_cast<Task*>(argument);
    task.begin = task.clock->seconds();
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    task.end = task.clock->seconds();
  }

  Index layers_;
  Index width_;
  std::vector<Task> tasks_;
  starpu_codelet codelet_;
  Stopwatch clock_;
};

TEST_P(Levels, OfForeignTasksAreTheirDepthInTheGraph) {
  for (const char* const policy : {"levelset", "hlevelset"}) {
    const support::Watchdog watchdog;
    StarpuInstance starpu(RuntimeOptions{GetParam(), policy});
    ExternalLayers layers(8, 12);
    layers.submit();
    starpu.resume();
    starpu_task_wait_for_all();
    double barrier = 0;
    for (const auto& layer : layers.times()) {
      EXPECT_GE(layer.begin, barrier) << policy;
      barrier = layer.end;
    }
    EXPECT_GT(barrier, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Levels, testing::Values(1, 2, 4));

}  // namespace
}  // namespace espalier::internal
