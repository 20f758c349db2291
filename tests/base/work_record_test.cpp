// SPDX-License-Identifier: BSD-3-Clause
#include "base/work_record.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace espalier::internal {
namespace {

void add_section(WorkRecord& record, Index threads, const std::vector<double>& seconds) {
  record.open_section(threads);
  std::vector<Index> task;
  for (std::size_t k = 0; k < seconds.size(); ++k) task.push_back(record.add_task());
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    record.begin_task(task[k]);
    record.compute(seconds[k]);
    record.end_task();
  }
  record.close_section();
}

TEST(WorkRecord, OfNothingTakesNoTime) {
  const WorkRecord record;
  EXPECT_EQ(record.work(), 0);
  EXPECT_EQ(record.span(), 0);
  EXPECT_EQ(record.replay({.workers = 2}), 0);
}

TEST(WorkRecord, OfASerialStretchIsThatOnAnyWorkers) {
  WorkRecord record;
  record.compute(2);
  record.compute(1);
  EXPECT_EQ(record.work(), 3);
  EXPECT_EQ(record.span(), 3);
  for (const Index workers : {1, 4}) EXPECT_EQ(record.replay({.workers = workers}), 3);
}

TEST(WorkRecord, OfASectionAfterASerialStretch) {
  WorkRecord record;
  record.compute(1);
  add_section(record, 4, {1, 1, 1, 1});
  EXPECT_EQ(record.work(), 5);
  EXPECT_EQ(record.span(), 2);
  EXPECT_EQ(record.replay({.workers = 1}), 5);
  EXPECT_EQ(record.replay({.workers = 2}), 3);
  EXPECT_EQ(record.replay({.workers = 3}), 3);
  EXPECT_EQ(record.replay({.workers = 4}), 2);
  EXPECT_EQ(record.replay({.workers = 9}), 2);
}

TEST(WorkRecord, TasksBeginInTheirOrder) {
  WorkRecord record;
  add_section(record, 2, {1, 1, 2});  // the long task begins last, with no other task left
  EXPECT_EQ(record.span(), 2);
  EXPECT_EQ(record.replay({.workers = 2}), 3);
}

TEST(WorkRecord, ASectionHasNoMoreThreadsThanItWasRecordedWith) {
  WorkRecord record;
  add_section(record, 2, {1, 1, 1, 1});
  EXPECT_EQ(record.span(), 1);
  EXPECT_EQ(record.replay({.workers = 8}), 2);
}

TEST(WorkRecord, WorkersOfNestedSectionsAreThoseOfTheMachine) {
  WorkRecord record;
  record.open_section(2);
  const Index first = record.add_task();
  record.add_task();
  for (Index task = first; task < first + 2; ++task) {
    record.begin_task(task);
    record.compute(1);
    add_section(record, 2, {2, 2});
    record.compute(1);
    record.end_task();
  }
  record.close_section();
  record.compute(1);
  EXPECT_EQ(record.work(), 13);
  EXPECT_EQ(record.span(), 5);
  EXPECT_EQ(record.replay({.workers = 1}), 13);
  // Both workers run the first nested section. After the first task has ended, both run the other
  // one.
  EXPECT_EQ(record.replay({.workers = 2}), 8);
  EXPECT_EQ(record.replay({.workers = 4}), 5);
}

/// Returns a section with a task of two seconds, which adds a task of three seconds after its first
/// second. Another second of work follows the section.
WorkRecord with_task_added() {
  WorkRecord record;
  record.open_section(2);
  const Index task = record.add_task();
  record.begin_task(task);
  record.compute(1);
  const Index added = record.add_task();
  record.compute(1);
  record.end_task();
  record.begin_task(added);
  record.compute(3);
  record.end_task();
  record.close_section();
  record.compute(1);
  return record;
}

TEST(WorkRecord, ATaskThatIsAddedRunsBesideWhatAddedIt) {
  const WorkRecord record = with_task_added();
  EXPECT_EQ(record.work(), 6);
  EXPECT_EQ(record.span(), 5);
  EXPECT_EQ(record.replay({.workers = 1}), 6);
  EXPECT_EQ(record.replay({.workers = 2}), 5);
}

TEST(WorkRecord, ATaskThatNeverBeganCountsForNothing) {
  WorkRecord record;
  record.open_section(2);
  const Index task = record.add_task();
  record.add_task();
  record.begin_task(task);
  record.compute(1);
  record.add_task();
  record.end_task();
  record.close_section();
  record.compute(1);
  EXPECT_EQ(record.work(), 2);
  EXPECT_EQ(record.span(), 2);
  EXPECT_EQ(record.replay({.workers = 2}), 2);
}

TEST(WorkRecord, SectionsWithoutTasksArePassed) {
  WorkRecord record;
  add_section(record, 2, {});
  record.compute(1);
  EXPECT_EQ(record.span(), 1);
  EXPECT_EQ(record.replay({.workers = 2, .thread_start = 1}), 1);
}

TEST(WorkRecord, ThreadsStartOneAfterTheOther) {
  WorkRecord record;
  add_section(record, 3, {4, 4, 4});
  // The two started threads begin after one and two seconds. The thread that opened the section
  // begins at two seconds, too.
  EXPECT_EQ(record.replay({.workers = 3, .thread_start = 1}), 6);
  // With two workers, both threads begin after a second, and one of them runs two tasks.
  EXPECT_EQ(record.replay({.workers = 2, .thread_start = 1}), 9);
  EXPECT_EQ(record.replay({.workers = 1, .thread_start = 1}), 12);
  EXPECT_EQ(record.span(), 4);
}

TEST(WorkRecord, StretchesTakeLongerBesideOthers) {
  WorkRecord record;
  record.compute(1);
  add_section(record, 2, {1, 1});
  const auto half_more_each = [](Index busy) { return 0.5 + 0.5 * busy; };
  EXPECT_EQ(record.replay({.workers = 2, .time_at = half_more_each}), 2.5);
  EXPECT_EQ(record.replay({.workers = 1, .time_at = half_more_each}), 3);
}

}  // namespace
}  // namespace espalier::internal
