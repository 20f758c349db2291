// SPDX-License-Identifier: BSD-3-Clause
#include "base/work_recorder.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "ordering/growing_tasks.hpp"

namespace espalier::internal {
namespace {

double shown = 0;  ///< current time of the clock of these tests
double clock_of_test() { return shown; }

/// Records on this thread, with a clock that the tests set.
class Recorded {
 public:
  const WorkRecord& settled() {
    recorder_.settle();
    return record_;
  }
  WorkRecorder& recorder() { return recorder_; }

 private:
  WorkRecord record_;
  WorkRecorder recorder_{[this](const WorkRecord& record) { record_ = record; }, clock_of_test};
};

TEST(WorkRecorder, LivesOnItsThread) {
  EXPECT_EQ(WorkRecorder::current(), nullptr);
  {
    Recorded recorded;
    EXPECT_EQ(WorkRecorder::current(), &recorded.recorder());
    std::thread([] { EXPECT_EQ(WorkRecorder::current(), nullptr); }).join();
  }
  EXPECT_EQ(WorkRecorder::current(), nullptr);
}

TEST(WorkRecorder, BeginsAnewOnceSettled) {
  Recorded recorded;
  shown += 3;
  EXPECT_EQ(recorded.settled().work(), 3);
  shown += 1;
  EXPECT_EQ(recorded.settled().work(), 1);
  EXPECT_EQ(recorded.settled().work(), 0);
}

TEST(WorkRecorder, LeavesOutWhatIsSkipped) {
  Recorded recorded;
  shown += 3;
  recorded.recorder().skip();
  shown += 1;
  EXPECT_EQ(recorded.settled().work(), 1);
}

TEST(WorkRecorder, RunsASectionOnOneThreadCutAsForAll) {
  Recorded recorded;
  const std::thread::id caller = std::this_thread::get_id();
  shown += 1;
  std::vector<Index> order;
  parallel_for(4, 2, [&](Index task) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(task);
    shown += 1;
  });
  Index ranges = 0;
  parallel_ranges(1000, 1, 3, [&](Index, Index) { ++ranges; });
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3}));
  EXPECT_EQ(ranges, 24);
  const WorkRecord& record = recorded.settled();
  EXPECT_EQ(record.work(), 5);
  EXPECT_EQ(record.span(), 2);
  EXPECT_EQ(record.replay({.workers = 4}), 3);
}

TEST(WorkRecorder, WithOneWorkerALoopIsASerialStretch) {
  Recorded recorded;
  parallel_for(4, 1, [&](Index) { shown += 1; });
  EXPECT_EQ(recorded.settled().span(), 4);
}

TEST(WorkRecorder, RecordsTasksThatOthersAdd) {
  Recorded recorded;
  GrowingTasks tasks;
  std::vector<Count> order;
  const auto leaf = [&](Count size) {
    tasks.add(size, [&, size](Index) {
      order.push_back(size);
      shown += static_cast<double>(size);
    });
  };
  tasks.add(9, [&](Index) {
    shown += 1;
    leaf(3);
    leaf(2);
    shown += 1;
  });
  tasks.run(2);
  EXPECT_EQ(order, (std::vector<Count>{3, 2}));
  const WorkRecord& record = recorded.settled();
  EXPECT_EQ(record.work(), 7);
  EXPECT_EQ(record.span(), 4);
  EXPECT_EQ(record.replay({.workers = 2}), 4);
  EXPECT_EQ(record.replay({.workers = 1}), 7);
}

TEST(WorkRecorder, RecordsLoopsOfTasks) {
  Recorded recorded;
  GrowingTasks tasks;
  tasks.add(1, [&](Index) {
    shown += 1;
    tasks.loop(3, [&](Index) { shown += 1; });
    shown += 1;
  });
  tasks.run(4);
  const WorkRecord& record = recorded.settled();
  EXPECT_EQ(record.work(), 5);
  EXPECT_EQ(record.span(), 3);
  EXPECT_EQ(record.replay({.workers = 4}), 3);
  EXPECT_EQ(record.replay({.workers = 2}), 4);
  // The first thread that starts runs the task. The loop starts no more threads.
  EXPECT_EQ(record.replay({.workers = 4, .thread_start = 0.25}), 3.25);
}

TEST(WorkRecorder, EndsWithAnException) {
  {
    Recorded recorded;
    EXPECT_THROW(parallel_for(2, 2, [](Index) { throw std::runtime_error("a task"); }),
                 std::runtime_error);
  }
  EXPECT_EQ(WorkRecorder::current(), nullptr);
}

TEST(ThreadSeconds, PassWhileTheThreadComputes) {
  const double begin = thread_seconds();
  while (thread_seconds() - begin < 1e-3) {
  }
  EXPECT_GT(thread_seconds(), begin);
}

}  // namespace
}  // namespace espalier::internal
