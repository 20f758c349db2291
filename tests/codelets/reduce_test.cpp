// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "codelets/dense_sample.hpp"
#include "codelets/sample_worker.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

using support::DenseSample;

/// Adds a contribution with these rows to a tile with those.
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
  const ReduceTask task{{&context}, &lazy, target_rows, rows};
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

/// The first task on a tile fills it with the entries of A, also where that task is a reduction.
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
  ReduceTask{{&context}, &lazy, target_rows, rows}.run(data, sample.worker);
  EXPECT_EQ(lazy.epoch, 3);
  EXPECT_EQ(target(0, 0), 5);
  EXPECT_EQ(target(1, 1), 7);
  EXPECT_EQ(target(1, 0), 0);
  EXPECT_EQ(target(2, 0), contribution(0, 0));
  EXPECT_EQ(target(2, 1), contribution(0, 1));
}

}  // namespace
}  // namespace espalier
