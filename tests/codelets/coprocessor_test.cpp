// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "codelets/accelerator_cases.hpp"
#include "codelets/coprocessor/functions.hpp"
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/payload/task_payload.hpp"
#include "codelets/tasks/factorize.hpp"

namespace espalier {
namespace {

using support::AcceleratorCases;
using support::DenseSample;
using support::every_but;
using support::Rows;
using support::SamplePayload;

/// Runs the coprocessor's function; what it returns of the diagonal.
std::vector<double> run(const TaskPayload& payload, TaskData data) {
  std::vector<double> diagonal;
  Buffer buffer(update_buffer_entries);
  const coprocessor::DeviceContext context{reference::kernels, buffer.span(), diagonal};
  switch (payload.shape.kind) {
    case TaskKind::diagonal: coprocessor::diagonal(payload.message(), data, context); break;
    case TaskKind::factor: coprocessor::factor(payload.message(), data, context); break;
    case TaskKind::update: coprocessor::update(payload.message(), data, context); break;
    case TaskKind::assemble: coprocessor::assemble(payload.message(), data, context); break;
    case TaskKind::reduce: coprocessor::reduce(payload.message(), data, context); break;
    case TaskKind::forward: coprocessor::forward(payload.message(), data, context); break;
    case TaskKind::backward: coprocessor::backward(payload.message(), data, context); break;
    default: ADD_FAILURE() << "no task of coprocessors";
  }
  return diagonal;
}

/// The same kernels in the same order give the same bits.
auto coprocessor_cases() {
  const auto same = [](const DenseSample& actual, const DenseSample& expected, Index /*n*/) {
    return actual.same_bits(expected);
  };
  return AcceleratorCases(run, same);
}

TEST(Coprocessor, FindsItsFunctionsByName) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    const char* const name = coprocessor::function_name(kind);
    Shape block{kind};
    block.device = 0;
    block.column = 0;
    EXPECT_EQ(name != nullptr, is_for_accelerators(block)) << name_of(kind);
    if (name == nullptr) continue;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
}

TEST(Coprocessor, ReadsTheShapeAndTheNumberOfDataFromThePayload) {
  FactorContext context;
  LazyTile lazy;
  const SamplePayload sample(TaskKind::factor, FactorTask{{&context}, &lazy, 3}, 2);
  EXPECT_EQ(sample.payload().shape.kind, TaskKind::factor);
  EXPECT_EQ(sample.payload().data, 2);
  EXPECT_EQ(sample.payload().task->arguments, sample.task().arguments);
}

TEST(Coprocessor, UpdatesAsACpuDoes) { coprocessor_cases().updates(); }
TEST(Coprocessor, AssemblesAsACpuDoes) { coprocessor_cases().assembles(); }
TEST(Coprocessor, ReducesAsACpuDoes) { coprocessor_cases().reduces(); }
TEST(Coprocessor, FactorsRowsAsACpuDoes) { coprocessor_cases().factors(); }
TEST(Coprocessor, SolvesWithTilesAsACpuDoes) { coprocessor_cases().solves(); }

/// What StarPU cannot send stays on CPUs.
TEST(Coprocessor, IsNotAskedForTasksWithLongMessages) {
  FactorContext context;
  LazyTile lazy;
  for (const Index count : {10000, 16000}) {
    const Rows rows = every_but(0, count, 4);
    const ReduceTask task{{&context}, &lazy, rows, rows};
    TaskList list;
    list.append({TaskKind::reduce}, task, std::span<const Access>(), 0);
    EXPECT_EQ(TaskPayloads(list).of(0).empty(), count == 16000);
  }
}

TEST(Coprocessor, IsNotAskedForLongDiagonals) {
  FactorContext context;
  const DiagonalTask task{{&context}, nullptr, 0};
  for (const Index width : {7000, 8000}) {
    TaskList list;
    list.append({TaskKind::diagonal, width, width, width}, task, std::span<const Access>(), 0);
    EXPECT_EQ(TaskPayloads(list).of(0).empty(), width == 8000);
  }
}

/// Columns 4 and 5 of L; the diagonal of A and a block after all updates.
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
    const DiagonalTask task{{&context_}, nullptr, 4};
    const SamplePayload sample(TaskKind::diagonal, task, 1);
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

/// Nothing that comes after a failure is looked at.
TEST_F(SentDiagonal, IsIgnoredAfterAFailure) {
  context_.failure.report(7);
  factor(-4, 10);
  EXPECT_EQ(context_.failure.column(), 7);
  EXPECT_EQ(record_.worker, -1);
}

}  // namespace
}  // namespace espalier
