// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/ktq.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "espalier/espalier.hpp"
#include "matrix/generators.hpp"
#include "schedulers/levels.hpp"
#include "schedulers/scheduled_factor.hpp"
#include "solver/sample_solver.hpp"

namespace espalier::internal {
namespace {

TaskFacts lasting(double seconds) {
  TaskFacts facts;
  facts.seconds = seconds;
  return facts;
}

TEST(KernelQueue, IsChosenByThePredictedTime) {
  const KernelQueueLimits limits{2e-6, 1e-3};
  EXPECT_EQ(queue_of(0, true, limits), KernelQueue::instant);
  EXPECT_EQ(queue_of(1.9e-6, true, limits), KernelQueue::instant);
  EXPECT_EQ(queue_of(2e-6, true, limits), KernelQueue::task_parallel);
  EXPECT_EQ(queue_of(0.9e-3, true, limits), KernelQueue::task_parallel);
  EXPECT_EQ(queue_of(1e-3, true, limits), KernelQueue::data_parallel);
  EXPECT_EQ(queue_of(1e-3, false, limits), KernelQueue::task_parallel) << "not divisible";
  EXPECT_EQ(queue_of(-1, true, limits), KernelQueue::task_parallel) << "of unknown length";
}

TEST(KernelQueues, GiveDevicesWhatTheyEndBeforeTheCpusAreDone) {
  TaskFacts task = lasting(1);
  task.ours = true;
  task.device_seconds = 3;
  EXPECT_FALSE(device_helps(task, 1, 1)) << "no other work is left";
  EXPECT_FALSE(device_helps(task, 3, 1)) << "ends as soon without the device";
  EXPECT_TRUE(device_helps(task, 3.1, 1));
  EXPECT_FALSE(device_helps(task, 3.1, 2)) << "two workers end sooner";
  task.device_copy = 1;
  EXPECT_FALSE(device_helps(task, 3.1, 1)) << "not if the operand must be copied";
  task.device_seconds = 0;
  EXPECT_TRUE(device_helps(task, 1, 1)) << "the time on the device is unknown";
  EXPECT_TRUE(device_helps(lasting(-1), 1, 1)) << "unknown";
}

TEST(KernelQueue, KnowsTheTimeOrCountsTheOperations) {
  TaskFacts task = lasting(3);
  task.flops = 1e9;
  EXPECT_EQ(predicted_seconds(task), 3);
  task.seconds = -1;
  EXPECT_GT(predicted_seconds(task), 0);
  task.flops = 0;
  EXPECT_LT(predicted_seconds(task), 0);
}

/// A divided task must save more than the barriers cost, and must be a large share of the remaining
/// work.
TEST(KernelQueueLimits, AskMoreOfTaskThatIsDividedTheMoreWorkRemains) {
  for (const Index workers : {2, 4, 16}) {
    const double least = derived_limits(workers, 0).data_parallel;
    EXPECT_LT(least / workers + parallel_task_seconds(workers), least);
    EXPECT_GT(derived_limits(workers, 0).data_parallel, handover_seconds);
    EXPECT_GT(derived_limits(workers, 10).data_parallel, least);
    EXPECT_LT(derived_limits(workers, 10).data_parallel, 10);
    EXPECT_GT(derived_limits(workers, 20).data_parallel, derived_limits(workers, 10).data_parallel);
  }
  EXPECT_EQ(queue_of(1e9, true, derived_limits(1, 1e9)), KernelQueue::task_parallel);
}

TaskFacts of_kind(TaskKind kind, Index m, Index n, Index k) {
  TaskFacts facts;
  facts.ours = true;
  facts.kind = kind;
  facts.m = m;
  facts.n = n;
  facts.k = k;
  facts.seconds = 1;
  return facts;
}

KernelQueue by_size(TaskKind kind, Index side, bool divisible = true) {
  return queue_of(of_kind(kind, side, side, side), divisible, KernelQueueSizes{});
}

/// Figure 9 of swCholesky has three classes of sizes: up to 8, up to 128, and above 128.
TEST(KernelQueueBySize, IsThatOfThePaperForItsKernels) {
  for (const TaskKind kind : {TaskKind::update, TaskKind::assemble}) {
    EXPECT_EQ(by_size(kind, 8), KernelQueue::instant);
    EXPECT_EQ(by_size(kind, 9), KernelQueue::task_parallel);
    EXPECT_EQ(by_size(kind, 128), KernelQueue::task_parallel);
    EXPECT_EQ(by_size(kind, 129), KernelQueue::data_parallel);
    EXPECT_EQ(by_size(kind, 129, false), KernelQueue::task_parallel);
  }
  EXPECT_EQ(by_size(TaskKind::factor, 8), KernelQueue::instant);
  EXPECT_EQ(by_size(TaskKind::factor, 9), KernelQueue::data_parallel)
      << "there is no medium queue for TRSM";
  for (const Index side : {1, 100, 1000}) {
    EXPECT_EQ(by_size(TaskKind::diagonal, side), KernelQueue::instant) << "on the MPE only";
    EXPECT_EQ(by_size(TaskKind::subtree, side), KernelQueue::task_parallel);
  }
}

/// The largest operand of the kernel counts, whatever its shape.
TEST(KernelQueueBySize, IsByTheLargestMatrix) {
  EXPECT_DOUBLE_EQ(operand_size(of_kind(TaskKind::update, 100, 4, 9)), 30);
  EXPECT_DOUBLE_EQ(operand_size(of_kind(TaskKind::update, 4, 9, 100)), 30);
  EXPECT_DOUBLE_EQ(operand_size(of_kind(TaskKind::factor, 16, 4, 4)), 8);
  TaskFacts foreign;
  EXPECT_EQ(queue_of(foreign, true, KernelQueueSizes{}), KernelQueue::task_parallel);
  foreign.flops = 2e6;  // matrices of order 100
  EXPECT_NEAR(operand_size(foreign), 100, 1e-9);
}

TEST(KernelQueueRules, GoByTimeOrBySizeInTheQueuesThatAreInUse) {
  using InUse = KernelQueueRules::InUse;
  const auto chosen = [](const KernelQueueRules& rules, Index side, bool divisible = true) {
    return rules.choose(of_kind(TaskKind::update, side, side, side), divisible, 2, 100);
  };
  KernelQueueRules rules;
  rules.instant_seconds = 2;
  EXPECT_EQ(chosen(rules, 1000), KernelQueue::instant) << "limits by time";
  rules.by_size = true;
  EXPECT_EQ(chosen(rules, 1000), KernelQueue::data_parallel);
  EXPECT_EQ(chosen(rules, 100), KernelQueue::task_parallel);
  EXPECT_EQ(chosen(rules, 5), KernelQueue::instant);
  rules.sizes = {50, 60};
  EXPECT_EQ(chosen(rules, 100), KernelQueue::data_parallel);
  EXPECT_EQ(chosen(rules, 50), KernelQueue::instant);
  rules.in_use = InUse::instant_and_data_parallel;
  EXPECT_EQ(chosen(rules, 55), KernelQueue::data_parallel);
  EXPECT_EQ(chosen(rules, 50), KernelQueue::instant);
  rules.in_use = InUse::data_parallel;
  EXPECT_EQ(chosen(rules, 5), KernelQueue::data_parallel);
  EXPECT_EQ(chosen(rules, 5, false), KernelQueue::task_parallel);
}

TEST(Batch, HoldsTheNumberAskedForButNoMoreThanAFairShare) {
  const TaskFacts task = lasting(1);
  Batch batch(3, 100, 4);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(batch.has_space_for(task));
    batch.add(task);
  }
  EXPECT_FALSE(batch.has_space_for(task));
  Batch fair(3, 5, 4);
  fair.add(task);
  EXPECT_TRUE(fair.has_space_for(task));
  fair.add(task);
  EXPECT_FALSE(fair.has_space_for(task)) << "the rest is for waiting workers";
}

TEST(Batch, GoesOnUntilItsTasksOutweighTheHandovers) {
  Batch batch(0, 1000, 2);
  Count tasks = 0;
  for (const TaskFacts task = lasting(handover_seconds); batch.has_space_for(task); ++tasks) {
    batch.add(task);
  }
  EXPECT_EQ(tasks, 20);
  Batch one(0, 1000, 2);
  one.add(lasting(1e-3));
  EXPECT_FALSE(one.has_space_for(lasting(1e-6)));
}

TEST(Batch, KeepsTheUpdatesOfOnePanelByAnotherTogether) {
  const std::array<int, 2> rows{};
  TaskFacts task = lasting(1e-3);
  task.ours = true;
  task.kind = TaskKind::update;
  task.column = 7;
  task.right = &rows[0];
  Batch batch(0, 100, 2);
  batch.add(task);
  EXPECT_TRUE(batch.has_space_for(task));
  TaskFacts other = task;
  other.right = &rows[1];
  EXPECT_FALSE(batch.has_space_for(other)) << "of another source";
  other = task;
  other.column = 8;
  EXPECT_FALSE(batch.has_space_for(other)) << "of another target";
}

bool divisible(TaskKind kind) {
  return kind == TaskKind::factor || kind == TaskKind::update || kind == TaskKind::assemble;
}

class KernelTaskQueues : public testing::TestWithParam<Index> {
 protected:
  /// Expects that all workers share exactly the divisible tasks of at least this many seconds.
  void expect_divided(double from, const std::vector<std::string>& options) {
    const Index all = GetParam();
    std::set<Index> seen;
    support::ScheduledFactors factors("ktq", all, options);
    factors.for_each([&](const TaskGraph&, const TaskList& list) {
      for (const BoundTask& task : list.task) {
        const bool divided = divisible(task.shape.kind) && task.shape.seconds >= from;
        EXPECT_EQ(task.record.slices, divided ? all : 1) << task.shape.seconds;
        EXPECT_EQ(task.queued.queue == KernelQueue::data_parallel, divided && all > 1);
        seen.insert(task.record.slices);
      }
    });
    EXPECT_EQ(std::ssize(seen), all > 1 ? 2 : 1) << "none or all were divided";
  }
};

TEST_P(KernelTaskQueues, DividesTheTasksAboveALimit) {
  expect_divided(0.12e-6, {"inst_us=0.11", "dpq_us=0.12", "batch=4"});
}

TEST_P(KernelTaskQueues, DividesAllThatIsNotInstantWithoutTheQueueInBetween) {
  expect_divided(0.12e-6, {"queues=inst+dpq", "inst_us=0.12"});
}

/// With more workers than cores, the many barriers would take ten seconds.
TEST_P(KernelTaskQueues, DividesAllItCanWithOneQueue) {
  if (GetParam() <= 2) expect_divided(0, {"queues=dpq"});
}

INSTANTIATE_TEST_SUITE_P(Workers, KernelTaskQueues, testing::Values(1, 2, 4));

/// Number of workers, and of the groups into which they are divided.
class PartitionedTaskQueues : public testing::TestWithParam<std::array<Index, 2>> {
 protected:
  Index workers() const { return GetParam()[0]; }
  Index groups() const { return GetParam()[1]; }
  Index group_of(Index worker) const { return worker * groups() / workers(); }
  Index size_of_group(Index group) const {
    Index size = 0;
    for (Index w = 0; w < workers(); ++w) size += group_of(w) == group ? 1 : 0;
    return size;
  }

  template <class Visit>
  void for_each_factor(std::vector<std::string> options, Visit visit) const {
    options.push_back("partitions=hlevelset");
    options.push_back("groups=" + std::to_string(groups()));
    using Factors = support::ScheduledFactors;
    Factors(  // submitted first, because a barrier does not delay tasks that are submitted later
        "ktq", workers(), options, Factors::Start::when_submitted)
        .for_each([&](const TaskGraph&, const TaskList& list) { visit(list); });
  }
};

TEST_P(PartitionedTaskQueues, HaveABarrierAfterEachLPartition) {
  std::size_t most = 0;
  for_each_factor({}, [&](const TaskList& list) {
    most = std::max(most, support::expect_barriers(&Shape::l_partition, list));
  });
  EXPECT_GT(most, 2u);
}

TEST_P(PartitionedTaskQueues, AreThoseOfTheGroupThatDoesTheWPartition) {
  std::set<Index> seen;
  for_each_factor({"inst_us=1"}, [&](const TaskList& list) {
    for (const BoundTask& task : list.task) {
      EXPECT_EQ(group_of(task.record.worker), task.shape.w_partition % groups());
      seen.insert(group_of(task.record.worker));
    }
  });
  EXPECT_EQ(std::ssize(seen), std::min(groups(), 2)) << "the samples have two w-partitions";
}

TEST_P(PartitionedTaskQueues, HaveAllWorkersOfTheGroupAtTheTasksAboveALimit) {
  std::set<Index> seen;
  for_each_factor({"inst_us=0.11", "dpq_us=0.12"}, [&](const TaskList& list) {
    for (const BoundTask& task : list.task) {
      const bool divided = divisible(task.shape.kind) && task.shape.seconds >= 0.12e-6;
      EXPECT_EQ(task.record.slices, divided ? size_of_group(group_of(task.record.worker)) : 1);
      seen.insert(task.record.slices);
    }
  });
  EXPECT_EQ(seen.size() > 1, workers() > groups()) << "none or all were divided";
}

TEST_P(PartitionedTaskQueues, DoTasksThatAreReadyBeforeOthersAreSubmitted) {
  int factors = 0;
  support::ScheduledFactors("ktq", workers(),
                            {"partitions=hlevelset", "groups=" + std::to_string(groups())})
      .for_each([&](const auto&, const auto&) { ++factors; });
  EXPECT_GT(factors, 25);
}

INSTANTIATE_TEST_SUITE_P(WorkersAndGroups, PartitionedTaskQueues,
                         testing::Values(std::array{1, 1}, std::array{2, 1}, std::array{2, 2},
                                         std::array{4, 2}, std::array{4, 3}));

/// The matrix is connected, so that an l-partition of all levels has a single w-partition. Then the
/// second of two groups stays idle.
TEST(PartitionsOfGroups, AreMadeByThePlanOfAFactor) {
  const support::Watchdog watchdog;
  const Matrix matrix = Matrix::load("laplace3d:20");
  AnalysisOptions options;
  options.workers = 2;
  const Analysis analysis(matrix, options);
  const auto workers_with = [&](const std::string& levels, const std::string& groups) {
    const Runtime runtime(
        RuntimeOptions{2, "ktq", {"partitions=hlevelset", "levels=" + levels, "groups=" + groups}});
    Factor factor(runtime, analysis);
    std::set<Index> workers;
    for (int run = 0; run < 20 && workers.size() < 2; ++run) {
      EXPECT_TRUE(factor.factorize(matrix).ok());
      const Schedule schedule = factor.schedule();
      for (const TaskRun& task : schedule.tasks) workers.insert(task.worker);
    }
    return workers.size();
  };
  EXPECT_EQ(workers_with("1", "2"), 2u);
  EXPECT_EQ(workers_with("1000000", "2"), 1u);
  EXPECT_EQ(workers_with("1000000", "1"), 2u);
}

TEST_P(KernelTaskQueues, DividesLargeProductsAndAllScalingsBySize) {
  const Index all = GetParam();
  std::set<Index> seen;
  support::ScheduledFactors factors("ktq", all, {"limits=size", "inst_size=2", "dpq_size=6"});
  factors.for_each([&](const TaskGraph&, const TaskList& list) {
    for (const BoundTask& task : list.task) {
      const auto [kind, m, n, k] =
          std::tuple(task.shape.kind, task.shape.m, task.shape.n, task.shape.k);
      const bool scales = kind == TaskKind::factor && m * n > 4;
      const bool product = kind == TaskKind::update || kind == TaskKind::assemble;
      const bool divided = scales || (product && std::max({m * n, m * k, n * k}) > 36);
      EXPECT_EQ(task.record.slices, divided ? all : 1) << m << " x " << n << " x " << k;
      seen.insert(task.record.slices);
    }
  });
  EXPECT_EQ(std::ssize(seen), all > 1 ? 2 : 1);
}

/// Runs fused tasks on one worker, in slices on all workers, and in slices on groups of workers.
/// Each case has one of the problems, because workers that share a task wait for each other, which
/// is slow on a busy machine.
TEST(FusedTasks, GiveTheSameFactor) {
  constexpr std::array problems{"laplace3d:9", "irregular2d:300", "elasticity3d:4x3x3"};
  std::size_t turn = 0;
  for (const std::string option :
       {"dpq_us=1e9", "dpq_us=0", "limits=size", "partitions=hlevelset"}) {
    const Runtime runtime(RuntimeOptions{2, "ktq", {"fuse=1", "inst_us=0", option}});
    for (const Granularity granularity : {Granularity::tile, Granularity::block}) {
      const support::Watchdog watchdog;
      const Matrix matrix = Matrix::load(problems[turn++ % problems.size()]);
      FactorOptions options = support::with(granularity);
      options.tile_rows = 12;
      Factor factor(runtime, support::analysis_of(matrix), options);
      for (int time = 0; time < 2; ++time) {
        EXPECT_TRUE(factor.factorize(matrix).ok());
        support::expect_solves(factor, matrix);
      }
    }
  }
}

/// The targets of fused tasks keep the marks of the factorization that failed.
TEST(FusedTasks, WorkAgainAfterAFailure) {
  const support::Watchdog watchdog;
  const SparseMatrix good = generate_matrix("laplace2d:14");
  const Matrix matrix = support::to_matrix(good);
  const Analysis analysis = support::analysis_of(matrix);
  const Runtime runtime(RuntimeOptions{2, "ktq", {"fuse=1", "inst_us=0"}});
  FactorOptions options = support::with(Granularity::block);
  options.tile_rows = 12;
  Factor factor(runtime, analysis, options);
  for (Index column = 0; column < good.pattern.n; column += 13) {
    const Matrix bad = support::to_matrix(support::with_bad_column(good, column));
    EXPECT_EQ(factor.factorize(bad).bad_column, column);
    EXPECT_TRUE(factor.factorize(matrix).ok()) << column;
    support::expect_solves(factor, matrix);
  }
}

/// Each task of the chain is released by the task before it.
TEST(InstantQueue, KeepsAChainOfShortTasksOnOneWorker) {
  const support::Watchdog watchdog;
  constexpr int length = 200;
  StarpuInstance starpu(RuntimeOptions{4, "ktq", {}});
  std::vector<int> worker;
  starpu_data_handle_t handle = nullptr;
  starpu_void_data_register(&handle);
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = [](void** /*buffers*/, void* list) {
    static_cast<std::vector<int>*>(list)->push_back(starpu_worker_get_id());
  };
  codelet.nbuffers = 1;
  codelet.modes[0] = STARPU_RW;
  for (int i = 0; i < length; ++i) {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->cl_arg = &worker;
    task->handles[0] = handle;
    task->flops = 1;
    ASSERT_EQ(starpu_task_submit(task), 0);
  }
  starpu.resume();
  starpu_task_wait_for_all();
  starpu_data_unregister(handle);
  ASSERT_EQ(std::ssize(worker), length);
  EXPECT_EQ(std::set<int>(worker.begin(), worker.end()).size(), 1u);
}

}  // namespace
}  // namespace espalier::internal
