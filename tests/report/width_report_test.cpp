// SPDX-License-Identifier: BSD-3-Clause
#include "report/width_report.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/dense.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

/// Returns a task of this kind, with panels of this width, that took `seconds`.
BoundTask ran(TaskKind kind, Index width, double seconds) {
  BoundTask task{};
  task.shape.kind = kind;
  task.shape.k = width;
  task.shape.n = width;
  task.record.worker = 0;
  task.record.end = seconds;
  return task;
}

/// A dense matrix of order 16 in two panels of eight columns.
class TwoPanels : public testing::Test {
 protected:
  std::vector<WidthReport> report_of(const std::vector<BoundTask>& tasks) const {
    SubtreeCut cut;
    cut.group_of = {group_of_first_, -1};
    return work_by_width({structure_, sole_ownership(structure_)}, cut, KernelCost{}, tasks);
  }

  SymbolicFactor structure_ =
      support::structure_of(support::dense_random(16, 1), {.ordering = "natural"});
  Index group_of_first_ = -1;
};

TEST_F(TwoPanels, CountInTheClassWhoseMostTheirWidthIs) {
  ASSERT_EQ(structure_.panels(), 2);
  ASSERT_EQ(structure_.width(0), 8);
  const auto report = report_of(
      {ran(TaskKind::diagonal, 8, 3), ran(TaskKind::factor, 8, 2), ran(TaskKind::update, 9, 1)});
  ASSERT_EQ(report.size(), 2);
  EXPECT_EQ(report[0].least, 1);
  EXPECT_EQ(report[0].most, 8);
  EXPECT_EQ(report[0].panels, 2);
  EXPECT_DOUBLE_EQ(report[0].seconds, 5);
  const double first = flops::potrf(8) + flops::trsm(8, 8) + flops::trapezoid(8, 8, 8);
  EXPECT_DOUBLE_EQ(report[0].flops, first + flops::potrf(8));
  EXPECT_EQ(report[1].least, 9);
  EXPECT_EQ(report[1].most, 32);
  EXPECT_EQ(report[1].panels, 0);
  EXPECT_DOUBLE_EQ(report[1].seconds, 1);
}

TEST_F(TwoPanels, ShareOutTheTimeOfSubtrees) {
  group_of_first_ = 0;
  const auto report = report_of({ran(TaskKind::subtree, 0, 4), ran(TaskKind::diagonal, 8, 1)});
  ASSERT_EQ(report.size(), 1);
  EXPECT_DOUBLE_EQ(report[0].seconds, 5);
}

TEST_F(TwoPanels, SayNothingBeforeTheyAreFactored) {
  EXPECT_TRUE(report_of({}).empty());
  EXPECT_TRUE(report_of({BoundTask{}}).empty());
}

TEST(WidthReport, AddsPartsByTheirClasses) {
  std::vector<WidthReport> sum{{9, 32, 2, 1.0, 10}};
  add_widths(std::vector<WidthReport>{{1, 8, 3, 0.5, 1}, {9, 32, 1, 2.0, 5}}, sum);
  ASSERT_EQ(sum.size(), 2);
  EXPECT_EQ(sum[0].least, 1);
  EXPECT_EQ(sum[1].panels, 3);
  EXPECT_DOUBLE_EQ(sum[1].seconds, 3.0);
  EXPECT_DOUBLE_EQ(sum[1].flops, 15);
}

}  // namespace
}  // namespace espalier::internal
