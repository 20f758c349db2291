// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "codelets/accelerator_cases.hpp"
#include "codelets/coprocessor/functions.hpp"
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/payload/task_payload.hpp"
#include "codelets/tasks/factorize.hpp"
#include "codelets/tasks/update.hpp"

namespace espalier::internal {
namespace {

using support::AcceleratorCases;
using support::DenseSample;
using support::every_but;
using support::Rows;
using support::SamplePayload;

/// Runs the coprocessor's function. Returns its results.
std::vector<double> run(const TaskPayload& payload, TaskData data) {
  std::vector<double> results;
  Buffer buffer(update_buffer_entries);
  coprocessor::run(payload, data, {reference::kernels, buffer.span(), results});
  return results;
}

/// The same kernels in the same order give the same bits.
auto coprocessor_cases(support::Pivots pivots = support::Pivots::none) {
  const auto same = [](const DenseSample& actual, const DenseSample& expected, Index /*n*/) {
    return actual.same_bits(expected);
  };
  return AcceleratorCases(run, same, pivots);
}

TEST(Coprocessor, FindsItsFunctionsByName) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    const char* const name = coprocessor::function_name(kind);
    EXPECT_EQ(name == nullptr, kind == TaskKind::subtree) << name_of(kind);
    if (name == nullptr) continue;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
}

TEST(Coprocessor, ReadsTheShapeAndTheNumberOfDataFromThePayload) {
  FactorContext context;
  LazyTile lazy;
  const SamplePayload sample({TaskKind::factor}, FactorTask{{{&context}, &lazy}, {3}}, 2);
  EXPECT_EQ(sample.payload().shape.kind, TaskKind::factor);
  EXPECT_EQ(sample.payload().data, 2);
  EXPECT_EQ(sample.payload().task->arguments, sample.task().arguments);
}

TEST(Coprocessor, UpdatesAsACpuDoes) { coprocessor_cases().updates(); }
TEST(Coprocessor, AssemblesAsACpuDoes) { coprocessor_cases().assembles(); }
TEST(Coprocessor, ReducesAsACpuDoes) { coprocessor_cases().reduces(); }
TEST(Coprocessor, FactorsRowsAsACpuDoes) { coprocessor_cases().factors(); }
TEST(Coprocessor, SolvesWithTilesAsACpuDoes) { coprocessor_cases().solves(); }
TEST(Coprocessor, UpdatesWithSignsAsACpuDoes) {
  coprocessor_cases(support::Pivots::carried).updates();
}
TEST(Coprocessor, AssemblesWithSignsAsACpuDoes) {
  coprocessor_cases(support::Pivots::carried).assembles();
}
TEST(Coprocessor, FactorsRowsWithPivotsAsACpuDoes) { coprocessor_cases().factors_with_pivots(); }

/// The host chooses and checks pivots of A = L J Lᵀ.
TEST(Coprocessor, IsNotAskedForDiagonalBlocksWithSigns) {
  FactorContext context;
  LazyTile lazy;
  const DiagonalTask task{{{&context}, &lazy}, 0};
  TaskList list;
  list.append({TaskKind::diagonal, 5, 5, 5}, task, std::span<const Access>(), 0);
  EXPECT_FALSE(TaskPayloads(list).of(0).empty());
  context.signs.in_tiles = true;
  EXPECT_TRUE(TaskPayloads(list).of(0).empty());
}

/// Tasks whose message StarPU cannot send stay on CPUs.
TEST(Coprocessor, IsNotAskedForTasksWithLongMessages) {
  FactorContext context;
  LazyTile lazy;
  for (const Index count : {10000, 16000}) {
    const Rows rows = every_but(0, count, 4);
    const ReduceTask task{{{&context}, &lazy}, rows, rows};
    TaskList list;
    list.append({TaskKind::reduce}, task, std::span<const Access>(), 0);
    EXPECT_EQ(TaskPayloads(list).of(0).empty(), count == 16000);
  }
}

/// The first writer of a contribution sets it to zero, which a coprocessor cannot do. Only shadows
/// are set to zero by separate tasks.
TEST(Coprocessor, IsNotAskedToAddToAContribution) {
  FactorContext context;
  LazyTile lazy{.part = {}, .from_zero = true};
  const Index row = 0;
  const ReduceTask task{{{&context}, &lazy}, {&row, 1}, {&row, 1}};
  for (const Index device : {-1, 0}) {
    TaskList list;
    Shape shape{TaskKind::reduce};
    shape.device = device;
    list.append(shape, task, std::span<const Access>(), 0);
    EXPECT_EQ(TaskPayloads(list).of(0).empty(), device < 0);
  }
}

TEST(Coprocessor, IsNotAskedForLongDiagonals) {
  FactorContext context;
  LazyTile lazy;
  const DiagonalTask task{{{&context}, &lazy}, 0};
  for (const Index width : {7000, 8000}) {
    TaskList list;
    list.append({TaskKind::diagonal, width, width, width}, task, std::span<const Access>(), 0);
    EXPECT_EQ(TaskPayloads(list).of(0).empty(), width == 8000);
  }
}

/// Columns 4 and 5 of L: the diagonal of A and a block after all updates.
class SentDiagonal : public testing::Test {
 protected:
  void factor(double first, double last) {
    value_ = {first, 10};
    context_.entries = {{0, 0, 0, 0, 0, 1, 2}, {{0, 0}, {1, 1}}};
    context_.value = value_.data();
    context_.epoch = 1;
    context_.workspace.resize(3);
    DenseSample block(3, 2);
    block(0, 0) = first;
    block(1, 0) = 2;
    block(1, 1) = last;
    LazyTile lazy;
    const DiagonalTask task{{{&context_}, &lazy}, 4};
    Shape shape{TaskKind::diagonal};
    shape.seconds = 0.5;
    shape.device_seconds = 0.125;
    const SamplePayload sample(shape, task, 1);
    const MatrixView data[] = {block.view()};
    std::vector<double> result = run(sample.payload(), data);
    result.insert(result.begin(), 0.25);
    take_result(sample.task(), 2, result);
    record_ = sample.task().record;
  }

  std::vector<double> value_;
  FactorContext context_;
  TaskRecord record_;
};

TEST_F(SentDiagonal, IsEnteredIntoRecordAndTally) {
  factor(4, 10);
  EXPECT_FALSE(context_.failure.happened());
  EXPECT_EQ(record_.worker, 2);
  EXPECT_DOUBLE_EQ(record_.end - record_.begin, 0.25);
  const auto& tally = context_.workspace[2].tally[static_cast<std::size_t>(TaskKind::diagonal)];
  EXPECT_EQ(tally.count, 1);
  EXPECT_EQ(tally.seconds, 0.25);
}

TEST_F(SentDiagonal, IsPredictedForTheDevice) {
  factor(4, 10);
  const auto& tally = context_.workspace[2].tally[static_cast<std::size_t>(TaskKind::diagonal)];
  EXPECT_EQ(tally.predicted_seconds, 0.125);
  EXPECT_TRUE(record_.on_device);
}

TEST_F(SentDiagonal, ReportsItsFirstColumn) {
  factor(-4, 10);
  EXPECT_EQ(context_.failure.column(), 4);
}

TEST_F(SentDiagonal, ReportsItsLastColumn) {
  factor(4, 1);
  EXPECT_EQ(context_.failure.column(), 5);
}

TEST_F(SentDiagonal, ReportsAPivotThatIsRounding) {
  factor(4, std::nextafter(1.0, 2.0));
  EXPECT_EQ(context_.failure.column(), 5);
}

/// A host that missed the failure learns of it from the mark that the skipped task passes on.
TEST(Coprocessor, PassesTheMarkOfAFailureOn) {
  FactorContext context;
  context.workspace.resize(1);
  LazyTile lazy;
  const DiagonalTask diagonal{{{&context}, &lazy}, 0};
  const SamplePayload bad({TaskKind::diagonal}, diagonal, 1);
  DenseSample block(2, 2);
  block(0, 0) = -1;
  const MatrixView l[] = {block.view()};
  const std::vector<double> entries = run(bad.payload(), l);
  EXPECT_TRUE(std::isnan(entries.front()));
  EXPECT_TRUE(is_marked_as_failed(block.view()));
  const FactorTask factor{{{&context}, &lazy}, {0}};
  const SamplePayload next({TaskKind::factor}, factor, 2);
  DenseSample rows(3, 2);
  const MatrixView data[] = {rows.view(), block.view()};
  std::vector<double> none;
  Buffer buffer(update_buffer_entries);
  EXPECT_FALSE(coprocessor::run(next.payload(), data, {reference::kernels, buffer.span(), none}));
  EXPECT_TRUE(is_marked_as_failed(rows.view()));
  take_result(next.task(), 0, std::vector{failure_mark});
  EXPECT_TRUE(context.failure.happened());
  EXPECT_EQ(context.failure.column(), -1);
}

/// A target may hold the mark of an earlier factorization.
TEST(Coprocessor, LooksForMarksInWhatIsReadAlone) {
  FactorContext context;
  LazyTile lazy;
  const std::vector<Index> rows{10, 11};
  std::array<UpdateTask, 2> parts;
  parts.fill(UpdateTask{{{&context}, &lazy}, rows, 10, rows, rows});
  parts[0].next = &parts[1];
  DenseSample first(2, 2);
  DenseSample second(2, 2);
  DenseSample source = DenseSample::random(2, 3, 1);
  const MatrixView data[] = {first.view(), second.view(), source.view()};
  std::vector<double> none;
  Buffer buffer(update_buffer_entries);
  const coprocessor::DeviceContext device{reference::kernels, buffer.span(), none};
  const SamplePayload sample({TaskKind::update}, parts[0], 3, 2);
  mark_as_failed(data[1]);
  EXPECT_TRUE(coprocessor::run(sample.payload(), data, device));
  mark_as_failed(data[2]);
  EXPECT_FALSE(coprocessor::run(sample.payload(), data, device));
  EXPECT_TRUE(is_marked_as_failed(data[0]));
  EXPECT_TRUE(is_marked_as_failed(data[1]));
}

/// Diagonals that arrive after a failure are ignored.
TEST_F(SentDiagonal, IsIgnoredAfterAFailure) {
  context_.failure.report(7);
  factor(-4, 10);
  EXPECT_EQ(context_.failure.column(), 7);
  EXPECT_EQ(record_.worker, -1);
}

}  // namespace
}  // namespace espalier::internal
