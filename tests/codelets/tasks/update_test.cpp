// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/update.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codelets/sample_groups.hpp"
#include "codelets/samples.hpp"
#include "graph/task_graph.hpp"
#include "mapping/tiling.hpp"
#include "matrix/generators.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;
using Rows = std::vector<Index>;
using Range = Task::Range;

/// A target tile and a source panel, given by their rows of L, and the part of the source that is
/// used.
struct Case {
  Rows target_rows;
  Index target_column;
  Index target_width;
  Rows source_rows;     ///< rows of the left tile
  Range rows;           ///< the part of `source_rows` that is used
  Rows source_columns;  ///< rows of the right tile; it is the left tile if both lists are equal
  Range columns;
  bool lower;
};

Index position(const Rows& rows, Index row) {
  return static_cast<Index>(std::find(rows.begin(), rows.end(), row) - rows.begin());
}

void check_case(const Case& c, const Kernels& kernels, Index slices) {
  constexpr Index inner = 3;
  const DenseSample left = DenseSample::random(std::ssize(c.source_rows), inner, 1);
  const DenseSample right = DenseSample::random(std::ssize(c.source_columns), inner, 2);
  const DenseSample& b = c.lower ? left : right;
  DenseSample target = DenseSample::random(std::ssize(c.target_rows), c.target_width, 3);
  DenseSample expected = target;
  for (Index j = c.columns.begin; j < c.columns.end; ++j) {
    const Index column = c.source_columns[j];
    for (Index i = c.rows.begin; i < c.rows.end; ++i) {
      if (c.source_rows[i] < column) continue;
      const Index row = position(c.target_rows, c.source_rows[i]);
      for (Index k = 0; k < inner; ++k) {
        expected(row, column - c.target_column) -= left(i, k) * b(j, k);
      }
    }
  }

  FactorContext context;
  LazyTile lazy;
  const std::span rows(c.source_rows);
  const std::span columns(c.source_columns);
  const UpdateTask task{{{&context}, &lazy},
                        c.target_rows,
                        c.target_column,
                        rows.subspan(c.rows.begin, c.rows.size()),
                        columns.subspan(c.columns.begin, c.columns.size()),
                        c.rows.begin,
                        c.columns.begin,
                        c.lower};
  support::SampleWorker sample(64);
  Worker worker{kernels, sample.workspace};
  DenseSample left_data = left;
  DenseSample right_data = right;
  const MatrixView data[] = {target.view(), left_data.view(), right_data.view()};
  support::run_in_slices(task, std::span(data).first(c.lower ? 2 : 3), worker, slices);
  EXPECT_TRUE(support::close(target.view(), expected.view(), inner));
  EXPECT_TRUE(target.guards_intact());
}

void check_with_both(const Case& c) {
  for (const Index slices : {1, 2, 3}) {
    check_case(c, reference::kernels, slices);
    check_case(c, cpu::kernels, slices);
  }
}

const Rows source{2, 3, 10, 12, 14, 18, 20};

TEST(UpdateTask, ScattersATrapezoidThroughMaps) {
  check_with_both({{10, 11, 12, 14, 15, 18, 20}, 10, 3, source, {2, 7}, source, {2, 4}, true});
}

TEST(UpdateTask, ScattersATrapezoidWithOneColumn) {
  check_with_both({{12, 14, 15, 18, 20}, 12, 1, source, {3, 7}, source, {3, 4}, true});
}

TEST(UpdateTask, SubtractsStraightWhereRowsAndColumnsAreConsecutive) {
  const Rows rows{1, 5, 6, 9, 11};
  check_with_both({{5, 6, 9, 11}, 5, 2, rows, {1, 5}, rows, {1, 3}, true});
  check_with_both({{4, 5, 6, 7, 9, 11, 13}, 4, 4, {9, 11}, {0, 2}, {5, 6}, {0, 2}, false});
}

TEST(UpdateTask, ScattersARectangleIntoATileInTheMiddleOfAPanel) {
  check_with_both({{14, 15, 18, 19, 20, 22}, 10, 3, {14, 18, 20}, {0, 3}, source, {2, 4}, false});
  check_with_both({{14, 15, 18, 19, 20, 22}, 10, 3, {13, 18, 20}, {1, 3}, source, {3, 4}, false});
}

/// The target holds the first rows of its panel, and the used rows are in the middle of the source.
TEST(UpdateTask, TakesRowsInsideOfTheSourceTile) {
  check_with_both({{18, 20, 21}, 18, 2, source, {5, 7}, source, {5, 6}, true});
  check_with_both({{18, 20, 21}, 18, 3, source, {6, 7}, source, {5, 6}, false});
}

TEST(UpdateTask, FillsItsTargetFirst) {
  const std::vector<double> value{5};
  FactorContext context;
  context.entries = {{0, 1}, {{0, 0}}};
  context.value = value.data();
  context.epoch = 1;
  LazyTile lazy{{0, 0}};
  const Index row = 0;
  const UpdateTask task{{{&context}, &lazy}, {&row, 1}, 0, {&row, 1}, {&row, 1}, 0, 0, true};
  DenseSample target(1, 1);
  DenseSample l(1, 1);
  l(0, 0) = 2;
  const MatrixView data[] = {target.view(), l.view()};
  support::SampleWorker sample(4);
  task.run(data, sample.worker);
  EXPECT_EQ(target(0, 0), 1);
}

/// The target lacks every fourth row of L, and its columns are every third row of the source.
struct LongUpdate {
  LongUpdate(Index rows, Index columns, bool lower) {
    for (Index i = 0; i < 2 * (rows + columns); ++i) {
      if (i % 4 != 3) target_rows.push_back(i);
    }
    const Index first = lower ? 0 : columns;
    for (Index i = 0; i < rows; ++i) source_rows.push_back(target_rows[first + i]);
    for (Index j = 0; j < columns; ++j) source_columns.push_back(target_rows[j]);
    task = {{{&context}, &lazy}, target_rows, 0, source_rows, source_columns, 0, 0, lower};
    context.entries.begin.resize(2 * (rows + columns) + 1, 0);
    context.value = &value;
    context.epoch = 1;
  }
  LongUpdate(const LongUpdate&) = delete;
  LongUpdate& operator=(const LongUpdate&) = delete;

  DenseSample run(const Kernels& kernels, Index slices) {
    const Index rows = static_cast<Index>(source_rows.size());
    constexpr Index inner = 30;
    DenseSample left = DenseSample::random(rows, inner, 1);
    DenseSample right = DenseSample::random(std::ssize(source_columns), inner, 2);
    DenseSample target(std::ssize(target_rows), source_columns.back() + 1);
    support::SampleWorker sample(std::ssize(target_rows) * 2);
    const MatrixView data[] = {target.view(), left.view(), right.view()};
    lazy = {};
    support::run_in_slices(task, std::span(data).first(task.lower ? 2 : 3),
                           {kernels, sample.workspace}, slices);
    return target;
  }

  Rows target_rows;
  Rows source_rows;
  Rows source_columns;
  double value = 0;
  FactorContext context;
  LazyTile lazy;
  UpdateTask task;
};

/// Some cases have fewer rows than slices. Some slices begin in the triangle, at its end, or below.
/// The bits do not change, because each entry is summed in the same order.
TEST(UpdateTask, GivesTheSameInSlices) {
  for (const Index rows : {1, 7, 40, 129, 257}) {
    for (const Index columns : {1, 9, 40, 129}) {
      for (const bool lower : {true, false}) {
        if (lower && columns > rows) continue;
        LongUpdate update(rows, columns, lower);
        for (const Kernels* kernels : {&reference::kernels, &cpu::kernels}) {
          const DenseSample whole = update.run(*kernels, 1);
          for (const Index slices : {2, 3, 4, 9}) {
            const DenseSample sliced = update.run(*kernels, slices);
            EXPECT_EQ(update.lazy.epoch, 1);
            EXPECT_TRUE(sliced.guards_intact());
            EXPECT_TRUE(sliced.same_bits(whole))
                << rows << " by " << columns << (lower ? " trapezoid" : "") << " in " << slices;
          }
        }
      }
    }
  }
}

}  // namespace
namespace {

using support::DenseMatrix;
using support::DenseSample;
using support::Groups;

/// Returns a(r, c) - sum of l(r, k) l(c, k) over the group's columns k.
double expected_entry(const Groups& groups, const SubtreeCut::Group& group, const DenseMatrix& l,
                      Index r, Index c) {
  const auto& begin = groups.symbolic().panel_begin;
  double entry = groups.dense()(r, c);
  for (Index k = begin[group.panel_begin]; k < begin[group.panel_end]; ++k) {
    entry -= l(r, k) * l(c, k);
  }
  return entry;
}

void check_tile(Groups& groups, const SubtreeCut::Group& group, const Tile& tile,
                const DenseMatrix& l, Index slices) {
  const SymbolicFactor& s = groups.symbolic();
  const auto rows =
      s.rows(tile.panel)
          .subspan(tile.row_begin, static_cast<std::size_t>(tile.row_end - tile.row_begin));
  DenseSample target(std::ssize(rows), s.width(tile.panel));
  LazyTile lazy{{s.panel_begin[tile.panel], tile.row_begin}};
  const AssembleTask task{
      {{&groups.context()}, &lazy}, tile.panel, rows, group.panel_begin, group.panel_end};
  const MatrixView data[] = {target.view(), groups.values_of(group)};
  support::run_in_slices(task, data, groups.worker(), slices);
  EXPECT_EQ(lazy.epoch, groups.context().epoch);
  for (Index j = 0; j < s.width(tile.panel); ++j) {
    const Index column = s.panel_begin[tile.panel] + j;
    for (Index i = 0; i < std::ssize(rows); ++i) {
      if (rows[i] < column) continue;
      const double expected = expected_entry(groups, group, l, rows[i], column);
      EXPECT_TRUE(support::close(target(i, j), expected, 30, s.n));
    }
  }
  EXPECT_TRUE(target.guards_intact());
}

class AssembleTaskWith : public testing::TestWithParam<const Kernels*> {};

/// The group updates every tile above the cut. If it does not reach a tile, the tile is only
/// filled.
TEST_P(AssembleTaskWith, SubtractsWhatAGroupContributes) {
  for (const char* spec : {"laplace2d:12", "laplace3d:6", "irregular2d:150"}) {
    for (const Granularity granularity : {Granularity::panel, Granularity::tile}) {
      SCOPED_TRACE(spec);
      Groups groups(generate_matrix(spec), 0.2, *GetParam());
      const DenseMatrix l = support::dense_cholesky(groups.dense());
      const Tiling tiling = tile_panels(groups.symbolic(), groups.cut(), granularity, 3);
      ASSERT_FALSE(tiling.tile.empty());
      for (const auto& group : groups.cut().groups) {
        groups.run(group);
        for (const Tile& tile : tiling.tile) {
          for (const Index slices : {1, 2, 5}) check_tile(groups, group, tile, l, slices);
        }
        if (HasFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, AssembleTaskWith,
                         testing::Values(&reference::kernels, &cpu::kernels),
                         [](const auto& info) { return info.index == 0 ? "reference" : "cpu"; });

}  // namespace
namespace {

using support::DenseSample;

/// Adds a contribution with `rows` to a tile with `target_rows`.
void check_rows(const std::vector<Index>& target_rows, const std::vector<Index>& rows,
                Index slices) {
  constexpr Index columns = 4;
  DenseSample target = DenseSample::random(std::ssize(target_rows), columns, 1);
  DenseSample contribution = DenseSample::random(std::ssize(rows), columns, 2);
  DenseSample expected = target;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto at = std::find(target_rows.begin(), target_rows.end(), rows[i]);
    const auto row = static_cast<Index>(at - target_rows.begin());
    for (Index j = 0; j < columns; ++j) {
      expected(row, j) += contribution(static_cast<Index>(i), j);
    }
  }
  FactorContext context;
  LazyTile lazy;
  support::SampleWorker sample(64);
  const MatrixView data[] = {target.view(), contribution.view()};
  const ReduceTask task{{{&context}, &lazy}, target_rows, rows};
  support::run_in_slices(task, data, sample.worker, slices);
  EXPECT_TRUE(support::close(target.view(), expected.view(), columns));
  EXPECT_TRUE(target.guards_intact());
}

TEST(ReduceTask, AddsTheRowsOfAContribution) {
  std::vector<Index> all;
  for (Index i = 0; i < 40; ++i) all.push_back(i + i / 3);
  const std::vector<Index> some{all[0], all[1], all[7], all[8], all[9], all[20], all[39]};
  const std::vector<Index> middle(all.begin() + 17, all.begin() + 19);
  for (const Index slices : {1, 2, 3}) {
    check_rows(all, all, slices);
    check_rows(all, some, slices);
    check_rows(all, middle, slices);
    check_rows(middle, {middle[1]}, slices);
  }
}

/// The first task on a tile fills it with the entries of A, even if the task is a reduction.
TEST(ReduceTask, FillsAStaleTile) {
  FactorContext context;
  context.entries.begin = {0, 1, 2};
  context.entries.entry = {PanelEntry(0, 0), PanelEntry(1, 1)};
  const double values[] = {5, 7};
  context.value = values;
  context.epoch = 3;
  DenseSample target(3, 2);
  DenseSample contribution = DenseSample::random(1, 2, 2);
  LazyTile lazy{{0, 0}};
  support::SampleWorker sample(8);
  const std::vector<Index> target_rows{0, 1, 4};
  const std::vector<Index> rows{4};
  const MatrixView data[] = {target.view(), contribution.view()};
  ReduceTask{{{&context}, &lazy}, target_rows, rows}.run(data, sample.worker);
  EXPECT_EQ(lazy.epoch, 3);
  EXPECT_EQ(target(0, 0), 5);
  EXPECT_EQ(target(1, 1), 7);
  EXPECT_EQ(target(1, 0), 0);
  EXPECT_EQ(target(2, 0), contribution(0, 0));
  EXPECT_EQ(target(2, 1), contribution(0, 1));
}

}  // namespace
}  // namespace espalier::internal
