// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "codelets/payload/task_payload.hpp"
#include "codelets/sample_groups.hpp"
#include "codelets/samples.hpp"
#include "codelets/tasks/factorize.hpp"
#include "codelets/tasks/solve_tile.hpp"
#include "codelets/tasks/update.hpp"
#include "mapping/tiling.hpp"
#include "matrix/generators.hpp"

namespace espalier::internal::support {

using Rows = std::vector<Index>;

/// Whether tiles carry pivots.
enum class Pivots { none, carried };

/// A task in its payload, read from a copy as in another process.
class SamplePayload {
 public:
  template <class Task>
  SamplePayload(const Shape& shape, const Task& arguments, Index data, Index written = 1) {
    std::vector<Access> accesses(data, Access{0, AccessMode::read});
    std::fill_n(accesses.begin(), written, Access{0, AccessMode::read_write});
    list_.append(shape, arguments, accesses, 0);
    const TaskPayloads payloads(list_);
    const auto sent = payloads.of(0);
    memory_.resize(sent.size() / sizeof(double));
    std::memcpy(memory_.data(), sent.data(), sent.size());
  }

  const TaskPayload& payload() const {
    return *reinterpret_cast<const TaskPayload*>(memory_.data());
  }
  const BoundTask& task() const { return list_.task.front(); }

 private:
  TaskList list_;
  std::vector<double> memory_;
};

/// Returns `count` numbers from `begin` on, without every `step`th one.
inline Rows every_but(Index begin, Index count, Index step) {
  Rows rows;
  for (Index i = begin; static_cast<Index>(rows.size()) < count; ++i) {
    if (i % step != step - 1) rows.push_back(i);
  }
  return rows;
}

/// Signs of columns, 1 and -1.
inline std::vector<double> sample_signs(Index columns) {
  std::vector<double> signs(static_cast<std::size_t>(columns), 1.0);
  for (Index k = 0; k < columns; ++k) {
    if (k % 3 != 1) signs[k] = -1;
  }
  return signs;
}

/// Cases in which an accelerator runs a task from its message, by run(payload, data), which returns
/// the results without the seconds. A CPU runs the same task from its arguments. same(actual,
/// expected, n) compares the two targets; n is the length of the sums. Under Pivots::carried,
/// A = L J Lᵀ.
template <class Run, class Same>
class AcceleratorCases {
 public:
  AcceleratorCases(Run run, Same same, Pivots pivots = Pivots::none)
      : run_(run), same_(same), carried_(pivots == Pivots::carried) {}

  void updates() {
    const Rows all = every_but(10, 60, 1000);
    const Rows some = every_but(10, 40, 3);
    const Rows below(some.begin() + 9, some.end());
    const Rows few(some.begin() + 4, some.begin() + 9);
    update({10, 20, all, some, {some.begin(), some.begin() + 12}, 2, 2, true});
    update({10, 20, all, below, few, 9, 4, false});
    update({10, 9, all, all, {all.begin(), all.begin() + 7}, 0, 0, true});
    update({12, 5, all, {all.begin() + 8, all.end()}, {13, 14}, 1, 3, false});
    update({12, 9, all, {all.begin() + 12, all.end()}, {13, 15, 16, 19}, 1, 3, false});
    update({10, 3, some, {some.begin() + 1, some.begin() + 2}, {11}, 1, 1, true});
    const Rows tall = every_but(10, 2600, 5);
    update({10, 9, every_but(10, 3250, 4000), tall, {tall.begin(), tall.begin() + 7}, 0, 0, true});
    joint_updates();
  }

  /// Three targets with decreasing numbers of rows of one source: a rectangle and two trapezoids.
  void joint_updates() {
    const Rows source = every_but(10, 40, 3);
    const Rows target_rows = every_but(10, 60, 1000);
    constexpr Index inner = 7;
    const std::span<const Index> rows(source);
    FactorContext context;
    give_signs(context, inner);
    LazyTile lazy;
    std::vector<UpdateTask> parts(3, UpdateTask{{{&context}, &lazy}, target_rows, 10});
    std::vector<DenseSample> expected;
    for (Index p = 0; p < 3; ++p) {
      const Index first = 1 + 5 * p;
      parts[p].source_rows = rows.subspan(p == 1 ? first + 6 : first);
      parts[p].source_columns = rows.subspan(first, 4 + p);
      parts[p].left_row = static_cast<Index>(rows.size() - parts[p].source_rows.size());
      parts[p].right_row = first;
      parts[p].lower = p != 1;
      if (p > 0) parts[p - 1].next = &parts[p];
      expected.push_back(DenseSample::random(std::ssize(target_rows), 30, p));
    }
    std::vector<DenseSample> target = expected;
    DenseSample panel = DenseSample::random(std::ssize(source), inner, 4);
    context.signs.tell(0, panel.view());
    SampleWorker sample(4000);
    const MatrixView there[] = {expected[0].view(), expected[1].view(), expected[2].view(),
                                panel.view()};
    parts[0].run(there, sample.worker);
    const MatrixView here[] = {target[0].view(), target[1].view(), target[2].view(), panel.view()};
    run_(SamplePayload({TaskKind::update}, parts[0], 4).payload(), TaskData(here));
    for (Index p = 0; p < 3; ++p) {
      EXPECT_TRUE(same_(target[p], expected[p], inner));
      EXPECT_TRUE(target[p].guards_intact());
    }
  }

  void assembles() {
    for (const char* spec : {"laplace2d:12", "irregular2d:150"}) {
      Groups groups(generate_matrix(spec), 0.2, reference::kernels);
      const Tiling tiling = tile_panels(groups.symbolic(), groups.cut(), Granularity::tile, 3);
      for (const auto& group : groups.cut().groups) {
        groups.run(group);
        if (carried_) groups.put_signs_of(group, sample_signs(groups.symbolic().n));
        for (const Tile& tile : tiling.tile) {
          ASSERT_NO_FATAL_FAILURE(assemble(groups, group, tile)) << spec;
        }
      }
    }
  }

  void reduces() {
    const Rows all = every_but(5, 2000, 4);
    FactorContext context;
    LazyTile lazy;
    SampleWorker sample(4000);
    for (const Rows& rows : {all, every_but(8, 9, 4), Rows{all[3], all[17], all[29]}}) {
      DenseSample expected = DenseSample::random(std::ssize(all), 4, 1);
      DenseSample target = expected;
      DenseSample contribution = DenseSample::random(std::ssize(rows), 4, 2);
      const ReduceTask task{{{&context}, &lazy}, all, rows};
      const MatrixView there[] = {expected.view(), contribution.view()};
      task.run(there, sample.worker);
      const MatrixView here[] = {target.view(), contribution.view()};
      run_(SamplePayload({TaskKind::reduce}, task, 2).payload(), TaskData(here));
      EXPECT_TRUE(same_(target, expected, 1));
    }
  }

  /// Task F on the tile with the diagonal block, and on one below.
  void factors() {
    constexpr Index width = 9;
    DenseSample triangle = DenseSample::dominant_lower(width, 4);
    DenseSample diagonal_tile = DenseSample::random(width + 20, width, 5);
    for (Index j = 0; j < width; ++j) {
      for (Index i = j; i < width; ++i) diagonal_tile(i, j) = triangle(i, j);
    }
    factor(diagonal_tile, width, nullptr);
    factor(DenseSample::random(17, width, 6), 0, &triangle);
  }

  /// Task F with the pivots that its diagonal block has chosen, or with given signs. One column is
  /// weak.
  void factors_with_pivots() {
    constexpr Index width = 9;
    for (const bool chosen : {true, false}) {
      for (const Index skipped : {width, 0}) {
        FactorContext context;
        DenseSample block = factored_block(context.signs, width, chosen);
        factor_with_pivots(context, block, skipped);
      }
    }
  }

  /// Task X with and without the triangle, for one vector and several. The backward task may start
  /// by setting the result to zero.
  void solves() {
    for (const Index vectors : {1, 5, 64}) {
      for (const Index triangle : {3, -1}) {
        solve(TaskKind::forward, ForwardTileTask{}, vectors, triangle);
        solve(TaskKind::backward, BackwardTileTask{}, vectors, triangle);
        solve(TaskKind::backward, BackwardTileTask{}, vectors, triangle, 1);
      }
    }
  }

 private:
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

  /// Gives signs to the first columns.
  void give_signs(FactorContext& context, Index columns) const {
    if (!carried_) return;
    context.signs.sign = sample_signs(columns);
    context.signs.in_tiles = true;
  }

  void update(const UpdateCase& c) {
    constexpr Index inner = 7;
    FactorContext context;
    give_signs(context, inner);
    LazyTile lazy;
    const UpdateTask task{{{&context}, &lazy}, c.target,   c.target_column, c.rows,
                          c.columns,           c.left_row, c.right_row,     c.lower};
    DenseSample left = DenseSample::random(c.left_row + std::ssize(c.rows) + 1, inner, 1);
    DenseSample right = DenseSample::random(c.right_row + std::ssize(c.columns) + 1, inner, 2);
    context.signs.tell(0, left.view());
    context.signs.tell(0, right.view());
    DenseSample expected = DenseSample::random(std::ssize(c.target), c.target_width, 3);
    DenseSample target = expected;
    const std::size_t data = c.lower ? 2 : 3;
    SampleWorker sample(4000);
    const MatrixView there[] = {expected.view(), left.view(), right.view()};
    task.run(std::span(there).first(data), sample.worker);
    const MatrixView here[] = {target.view(), left.view(), right.view()};
    run_(SamplePayload({TaskKind::update}, task, static_cast<Index>(data)).payload(),
         TaskData(here).first(data));
    for (Index i = 0; i < std::ssize(c.target); ++i) {  // entries above the diagonal are not used
      for (Index j = std::max(c.target[i] - c.target_column + 1, 0); j < c.target_width; ++j) {
        target(i, j) = expected(i, j);
      }
    }
    EXPECT_TRUE(same_(target, expected, inner));
    EXPECT_TRUE(target.guards_intact());
  }

  void assemble(Groups& groups, const SubtreeCut::Group& group, const Tile& tile) {
    const SymbolicFactor& s = groups.symbolic();
    const auto height = static_cast<std::size_t>(tile.row_end - tile.row_begin);
    const auto rows = s.rows(tile.panel).subspan(tile.row_begin, height);
    DenseSample expected = DenseSample::random(std::ssize(rows), s.width(tile.panel), 1);
    DenseSample target = expected;
    LazyTile lazy{.part = {}, .epoch = groups.context().epoch};
    const AssembleTask task{
        {{&groups.context()}, &lazy}, tile.panel, rows, group.panel_begin, group.panel_end};
    const MatrixView there[] = {expected.view(), groups.values_of(group)};
    task.run(there, groups.worker());
    const MatrixView here[] = {target.view(), groups.values_of(group)};
    run_(SamplePayload({TaskKind::assemble}, task, 2).payload(), TaskData(here));
    ASSERT_TRUE(same_(target, expected, s.n));
  }

  /// Two segments of 20 and 30 rows below a triangle of 12 rows; tiles of L with 25 and 40 rows.
  /// The first segment meets both tiles, the second segment only the second tile.
  template <class Task>
  void solve(TaskKind kind, Task task, Index vectors, Index triangle, Index clears = 0) {
    constexpr Index width = 12;
    FactorContext context;
    task.context = &context;
    task.words.write(SolveTileMessage{triangle, clears});
    for (const FacingRows& rows :
         {FacingRows{1, 0, 3, 12, 13}, FacingRows{1, 13, 4, 0, 7}, FacingRows{2, 0, 4, 7, 30}}) {
      task.words.add(rows);
    }
    DenseSample top = DenseSample::dominant_lower(25, 1);
    DenseSample bottom = DenseSample::random(40, width, 2);
    std::vector<std::vector<double>> expected;
    for (const Index rows : {width, 20, 30}) {
      const DenseSample random = DenseSample::random(vectors, rows, rows);
      for (Index i = 0; i < rows; ++i) {
        if (i == 0) expected.emplace_back();
        for (Index r = 0; r < vectors; ++r) expected.back().push_back(random(r, i));
      }
    }
    std::vector<std::vector<double>> actual = expected;
    const auto data_of = [&](std::vector<std::vector<double>>& segments) {
      std::vector<MatrixView> data;
      for (auto& segment : segments) {
        data.push_back(
            {segment.data(), vectors, static_cast<Index>(segment.size()) / vectors, vectors});
      }
      data.push_back(top.view().column_range(0, width));
      data.push_back(bottom.view());
      return data;
    };
    SampleWorker sample(1);
    task.run(data_of(expected), sample.worker);
    run_(SamplePayload({kind}, task, 5).payload(), TaskData(data_of(actual)));
    for (std::size_t p = 0; p < actual.size(); ++p) {
      for (std::size_t i = 0; i < actual[p].size(); ++i) {
        ASSERT_NEAR(actual[p][i], expected[p][i], 1e-12 * (1 + std::fabs(expected[p][i])));
      }
    }
  }

  void factor(DenseSample expected, Index skipped, DenseSample* triangle) {
    FactorContext context;
    LazyTile lazy;
    SampleWorker sample(1);
    DenseSample target = expected;
    const FactorTask task{{{&context}, &lazy}, {skipped}};
    const std::size_t data = triangle == nullptr ? 1 : 2;
    const MatrixView l = triangle == nullptr ? MatrixView{} : triangle->view();
    const MatrixView there[] = {expected.view(), l};
    task.run(std::span(there).first(data), sample.worker);
    const MatrixView here[] = {target.view(), l};
    run_(SamplePayload({TaskKind::factor}, task, static_cast<Index>(data)).payload(),
         TaskData(here).first(data));
    EXPECT_TRUE(same_(target, expected, expected.view().columns));
    EXPECT_TRUE(target.guards_intact());
  }

  /// Returns a factored block of the first columns, which carries its pivots.
  static DenseSample factored_block(PivotSigns& signs, Index width, bool chosen) {
    DenseSample block = DenseSample::random(width, width, 4);
    const auto columns = static_cast<std::size_t>(width);
    signs.in_tiles = true;
    signs.sign = sample_signs(width);
    signs.replaced.resize(columns);
    if (chosen) {
      signs.chosen = {std::vector<Index>(columns),
                      std::vector<Rotation>(columns),
                      std::vector<std::uint8_t>(columns),
                      std::vector<std::uint8_t>(columns, 1),
                      0,
                      std::vector<std::uint8_t>(columns),
                      std::vector<std::uint8_t>(columns)};
    }
    for (Index j = 0; j < width; ++j) block(j, j) = chosen ? 0.1 : (width + 1) * signs.sign[j];
    EXPECT_TRUE(signs.factor(reference::kernels, 0, block.view(), fresh_buffer()).ok());
    return block;
  }

  void factor_with_pivots(FactorContext& context, DenseSample& block, Index skipped) {
    const Index width = block.view().columns;
    LazyTile lazy;
    DenseSample expected = DenseSample::random(skipped + 20, width, 5);
    for (Index i = 0; i < skipped; ++i) {
      for (Index j = 0; j < width; ++j) expected(i, j) = block(i, j);
    }
    expected(skipped + 11, 3) = 1e4;
    DenseSample target = expected;
    const FactorTask task{{{&context}, &lazy}, {skipped}};
    const Index data = skipped > 0 ? 1 : 2;
    const auto all = static_cast<std::size_t>(data);
    SampleWorker sample(1);
    const MatrixView there[] = {expected.view(), block.view()};
    task.run(std::span(there).first(all), sample.worker);
    const MatrixView here[] = {target.view(), block.view()};
    Shape shape{TaskKind::factor};
    shape.n = width;
    const SamplePayload sent(shape, task, data);
    const std::vector<double> results = run_(sent.payload(), TaskData(here).first(all));
    EXPECT_TRUE(same_(target, expected, width));
    EXPECT_TRUE(target.guards_intact());
    FactorContext host;
    host.signs = context.signs;
    host.signs.sign.assign(host.signs.sign.size(), 0);
    host.signs.chosen.forget();
    ASSERT_EQ(std::ssize(results), width);
    FactorTask{{{&host}, &lazy}}.take_result(results);
    if (context.signs.chosen.empty()) return;
    EXPECT_EQ(host.signs.sign, context.signs.sign);
    EXPECT_EQ(host.signs.chosen.weak, context.signs.chosen.weak);
    EXPECT_GT(std::ranges::count(host.signs.chosen.weak, 1), 0);
    EXPECT_GT(std::ranges::count(host.signs.chosen.weak, 0), 0);
  }

  Run run_;
  Same same_;
  bool carried_;
};

}  // namespace espalier::internal::support
