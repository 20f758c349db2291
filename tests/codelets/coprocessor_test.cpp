// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "codelets/assemble.hpp"
#include "codelets/coprocessor/functions.hpp"
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/dense_sample.hpp"
#include "codelets/diagonal.hpp"
#include "codelets/factor.hpp"
#include "codelets/message.hpp"
#include "codelets/reduce.hpp"
#include "codelets/result.hpp"
#include "codelets/sample_groups.hpp"
#include "codelets/sample_worker.hpp"
#include "codelets/update.hpp"
#include "mapping/tiling.hpp"
#include "matrix/generators.hpp"

namespace espalier {
namespace {

using support::DenseSample;
using Rows = std::vector<Index>;

/// One task in its envelope, read from a copy as in another process.
class Mailed {
 public:
  template <class Task>
  Mailed(TaskKind kind, const Task& arguments, Index data) {
    const std::vector<Access> accesses(data, Access{0, AccessMode::read});
    list_.append({kind}, arguments, accesses, 0);
    const Envelopes envelopes(list_);
    const auto sent = envelopes.of(0);
    memory_.resize(sent.size() / sizeof(double));
    std::memcpy(memory_.data(), sent.data(), sent.size());
  }

  const Envelope& envelope() const { return *reinterpret_cast<const Envelope*>(memory_.data()); }
  const BoundTask& task() const { return list_.task.front(); }

  /// Runs the coprocessor's function; what it returns of the diagonal.
  template <class Run>
  std::vector<double> run(Run function, TaskData data) const {
    std::vector<double> diagonal;
    Buffer buffer(update_buffer_entries);
    function(envelope().message(), data, {reference::kernels, buffer.span(), diagonal});
    return diagonal;
  }

 private:
  TaskList list_;
  std::vector<double> memory_;
};

TEST(Coprocessor, FindsItsFunctionsByName) {
  for (std::size_t k = 0; k < task_kinds; ++k) {
    const auto kind = static_cast<TaskKind>(k);
    const char* const name = coprocessor::function_name(kind);
    EXPECT_EQ(name != nullptr, is_for_accelerators(kind)) << name_of(kind);
    if (name == nullptr) continue;
    EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
}

TEST(Coprocessor, ReadsTheShapeAndTheNumberOfDataFromTheEnvelope) {
  FactorContext context;
  LazyTile lazy;
  const Mailed mailed(TaskKind::factor, FactorTask{{&context}, &lazy, 3}, 2);
  EXPECT_EQ(mailed.envelope().shape.kind, TaskKind::factor);
  EXPECT_EQ(mailed.envelope().data, 2);
  EXPECT_EQ(mailed.envelope().task->arguments, mailed.task().arguments);
}

/// A subset of the numbers from `begin` on, every `step`th of them left out.
Rows every_but(Index begin, Index count, Index step) {
  Rows rows;
  for (Index i = begin; static_cast<Index>(rows.size()) < count; ++i) {
    if (i % step != step - 1) rows.push_back(i);
  }
  return rows;
}

struct UpdateCase {
  Index target_column;
  Index target_width;
  Rows target;
  Rows rows;
  Rows columns;
  Index left_row;
  Index right_row;
  bool lower;
};

void check_update(const UpdateCase& c) {
  constexpr Index inner = 7;
  FactorContext context;
  LazyTile lazy;
  const UpdateTask task{{&context}, &lazy,      c.target,    c.target_column, c.rows,
                        c.columns,  c.left_row, c.right_row, c.lower};
  DenseSample left = DenseSample::random(c.left_row + std::ssize(c.rows) + 1, inner, 1);
  DenseSample right = DenseSample::random(c.right_row + std::ssize(c.columns) + 1, inner, 2);
  DenseSample expected = DenseSample::random(std::ssize(c.target), c.target_width, 3);
  DenseSample target = expected;
  const std::size_t data = c.lower ? 2 : 3;
  support::SampleWorker sample(400);
  const MatrixView there[] = {expected.view(), left.view(), right.view()};
  task.run(std::span(there).first(data), sample.worker);
  const MatrixView here[] = {target.view(), left.view(), right.view()};
  Mailed(TaskKind::update, task, static_cast<Index>(data))
      .run(coprocessor::update, std::span(here).first(data));
  EXPECT_TRUE(target.same_bits(expected));
}

TEST(Coprocessor, UpdatesAsACpuDoes) {
  const Rows all = every_but(10, 60, 1000);
  const Rows some = every_but(10, 40, 3);
  const Rows below(some.begin() + 9, some.end());
  const Rows few(some.begin() + 4, some.begin() + 9);
  check_update({10, 20, all, some, {some.begin(), some.begin() + 12}, 2, 2, true});
  check_update({10, 20, all, below, few, 9, 4, false});
  check_update({10, 9, all, all, {all.begin(), all.begin() + 7}, 0, 0, true});
  check_update({12, 5, all, {all.begin() + 8, all.end()}, {13, 14}, 1, 3, false});
  check_update({10, 3, some, {some.begin() + 1, some.begin() + 2}, {11}, 1, 1, true});
}

TEST(Coprocessor, AssemblesAsACpuDoes) {
  for (const char* spec : {"laplace2d:12", "irregular2d:150"}) {
    support::Groups groups(generate_matrix(spec), 0.2, reference::kernels);
    const SymbolicFactor& s = groups.symbolic();
    const Tiling tiling = tile_panels(s, groups.cut(), Granularity::tile, 3);
    for (const auto& group : groups.cut().groups) {
      groups.run(group);
      for (const Tile& tile : tiling.tile) {
        const auto height = static_cast<std::size_t>(tile.row_end - tile.row_begin);
        const auto rows = s.rows(tile.panel).subspan(tile.row_begin, height);
        DenseSample expected = DenseSample::random(std::ssize(rows), s.width(tile.panel), 1);
        DenseSample target = expected;
        LazyTile lazy{.part = {}, .epoch = groups.context().epoch};
        const AssembleTask task{{&groups.context()}, &lazy,          tile.panel, rows,
                                group.panel_begin,   group.panel_end};
        const MatrixView there[] = {expected.view(), groups.values_of(group)};
        task.run(there, groups.worker());
        const MatrixView here[] = {target.view(), groups.values_of(group)};
        Mailed(TaskKind::assemble, task, 2).run(coprocessor::assemble, here);
        ASSERT_TRUE(target.same_bits(expected)) << spec;
      }
    }
  }
}

TEST(Coprocessor, ReducesAsACpuDoes) {
  const Rows all = every_but(5, 30, 4);
  FactorContext context;
  LazyTile lazy;
  support::SampleWorker sample(64);
  for (const Rows& rows : {all, every_but(8, 9, 4), Rows{all[3], all[17], all[29]}}) {
    DenseSample expected = DenseSample::random(std::ssize(all), 4, 1);
    DenseSample target = expected;
    DenseSample contribution = DenseSample::random(std::ssize(rows), 4, 2);
    const ReduceTask task{{&context}, &lazy, all, rows};
    const MatrixView there[] = {expected.view(), contribution.view()};
    task.run(there, sample.worker);
    const MatrixView here[] = {target.view(), contribution.view()};
    Mailed(TaskKind::reduce, task, 2).run(coprocessor::reduce, here);
    EXPECT_TRUE(target.same_bits(expected));
  }
}

/// What StarPU cannot send stays on CPUs.
TEST(Coprocessor, IsNotAskedForTasksWithLongMessages) {
  FactorContext context;
  LazyTile lazy;
  for (const Index count : {10000, 16000}) {
    const Rows rows = every_but(0, count, 4);
    const ReduceTask task{{&context}, &lazy, rows, rows};
    TaskList list;
    list.append({TaskKind::reduce}, task, std::span<const Access>(), 0);
    EXPECT_EQ(Envelopes(list).of(0).empty(), count == 16000);
  }
}

TEST(Coprocessor, IsNotAskedForLongDiagonals) {
  FactorContext context;
  const DiagonalTask task{{&context}, nullptr, 0};
  for (const Index width : {7000, 8000}) {
    TaskList list;
    list.append({TaskKind::diagonal, width, width, width}, task, std::span<const Access>(), 0);
    EXPECT_EQ(Envelopes(list).of(0).empty(), width == 8000);
  }
}

TEST(Coprocessor, FactorsRowsAsACpuDoes) {
  constexpr Index width = 9;
  const DenseSample triangle = DenseSample::dominant_lower(width, 4);
  FactorContext context;
  LazyTile lazy;
  support::SampleWorker sample(1);
  DenseSample expected = DenseSample::random(width + 20, width, 5);
  for (Index j = 0; j < width; ++j) {
    for (Index i = 0; i < width; ++i) expected(i, j) = triangle(i, j);
  }
  DenseSample target = expected;
  const FactorTask task{{&context}, &lazy, width};
  const MatrixView there[] = {expected.view()};
  task.run(there, sample.worker);
  const MatrixView here[] = {target.view()};
  Mailed(TaskKind::factor, task, 1).run(coprocessor::factor, here);
  EXPECT_TRUE(target.same_bits(expected));
  EXPECT_TRUE(target.guards_intact());
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
    const Mailed mailed(TaskKind::diagonal, task, 1);
    const MatrixView data[] = {block.view()};
    std::vector<double> result = mailed.run(coprocessor::diagonal, data);
    result.insert(result.begin(), 0.25);
    take_result(mailed.task(), 2, result);
    record_ = mailed.task().record;
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
