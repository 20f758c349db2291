// SPDX-License-Identifier: BSD-3-Clause

#include "mapping/kernel_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/dense.hpp"

namespace espalier::internal {
namespace {

constexpr double sizes[] = {1, 2, 3, 7, 8, 16, 33, 100, 256, 1000, 20000};

/// Calls expect(smaller, larger) for each pair of neighbouring sizes.
template <class Cost>
void expect_grows(Cost cost) {
  double previous = 0;
  for (const double size : sizes) {
    const double seconds = cost(size);
    EXPECT_TRUE(std::isfinite(seconds)) << size;
    EXPECT_GT(seconds, previous) << size;
    previous = seconds;
  }
}

TEST(KernelCost, OfEveryKernelGrowsWithEveryDimension) {
  const KernelCost cost;
  expect_grows([&](double n) { return cost.potrf(n); });
  expect_grows([&](double e) { return cost.fill(e); });
  expect_grows([&](double e) { return cost.reduce(e); });
  for (const double other : sizes) {
    expect_grows([&](double m) { return cost.trsm(m, other); });
    expect_grows([&](double n) { return cost.trsm(other, n); });
    expect_grows([&](double e) { return cost.solve(e, other, 1); });
    expect_grows([&](double e) { return cost.solve(e, 0, other); });
    expect_grows([&](double rows) { return cost.solve(other, rows, 1); });
    for (const double k : {1.0, 32.0, 500.0}) {
      expect_grows([&](double m) { return cost.update(other + m, other, k); });
      expect_grows([&](double n) { return cost.update(20000, n, k); });
    }
    expect_grows([&](double k) { return cost.update(2 * other, other, k); });
  }
}

TEST(KernelCost, OfSeveralRightHandSidesIsNoMoreThanOfEachAlone) {
  const KernelCost cost;
  for (const double entries : sizes) {
    for (const double columns : {2.0, 8.0, 64.0}) {
      EXPECT_GE(cost.solve(entries, 9, columns), cost.solve(entries, 9, 1));
      EXPECT_LE(cost.solve(entries, 9, columns), columns * cost.solve(entries, 9, 1));
    }
  }
}

TEST(KernelCost, IsNeverFasterThanTheRate) {
  const KernelCost cost;
  for (const double n : sizes) {
    EXPECT_GE(cost.potrf(n), flops::potrf(n) / cost.rate);
    for (const double k : sizes) {
      EXPECT_GE(cost.trsm(n, k), flops::trsm(n, k) / cost.rate);
      EXPECT_GE(cost.update(2 * n, n, k), flops::trapezoid(2 * n, n, k) / cost.rate);
    }
  }
}

TEST(KernelCost, ApproachesTheRateForLargeKernels) {
  const KernelCost cost;
  const double n = 50000;
  EXPECT_LT(cost.potrf(n), 1.02 * flops::potrf(n) / cost.rate);
  EXPECT_LT(cost.update(2 * n, n, n), 1.02 * flops::trapezoid(2 * n, n, n) / cost.rate);
}

TEST(KernelCost, OfACallIsTheLeastForAnyWork) {
  const KernelCost cost;
  EXPECT_GE(cost.potrf(1), cost.call);
  EXPECT_GE(cost.trsm(1, 1), cost.call);
  EXPECT_GE(cost.update(1, 1, 1), cost.call);
}

TEST(KernelCost, OfNoRowsIsNothing) {
  EXPECT_EQ(KernelCost{}.trsm(0, 100), 0);
  EXPECT_EQ(KernelCost{}.update(0, 0, 100), 0);
  EXPECT_EQ(KernelCost{}.fill(0), 0);
  EXPECT_EQ(KernelCost{}.reduce(0), 0);
  EXPECT_EQ(KernelCost{}.solve(0, 0, 1), 0);
}

/// Every kernel is twice as slow as the one before it in the table.
KernelCost measured_cost() {
  auto table = std::make_shared<CostTable>();
  table->potrf = {{1, 1, 1}, {1e-9}};
  table->trsm = {{1, 1, 1}, {2e-9}};
  table->syrk = {{1, 1, 1}, {4e-9}};
  table->gemm = {{1, 1, 1}, {8e-9}};
  table->syrk_again = {{1, 1, 1}, {3e-9}};
  table->gemm_again = {{1, 1, 1}, {6e-9}};
  table->fill = 16e-9;
  table->read = 32e-9;
  table->task = 64e-9;
  for (int i = 0; i < 50; ++i) table->history.add({TaskKind::subtree, 1024, 2.0, 0}, 1.5);
  KernelCost cost;
  cost.measured = std::move(table);
  return cost;
}

TEST(KernelCost, TakesWhatWasMeasured) {
  const KernelCost cost = measured_cost();
  EXPECT_DOUBLE_EQ(cost.potrf(30), 1e-9 * flops::potrf(30));
  EXPECT_DOUBLE_EQ(cost.trsm(100, 30), 2e-9 * flops::trsm(100, 30));
  EXPECT_DOUBLE_EQ(cost.product(100, 20, 30), 8e-9 * flops::gemm(100, 20, 30));
  EXPECT_DOUBLE_EQ(cost.update(100, 20, 30),
                   4e-9 * flops::syrk(20, 30) + 8e-9 * flops::gemm(80, 20, 30));
  EXPECT_DOUBLE_EQ(cost.update(20, 20, 30), 4e-9 * flops::syrk(20, 30));
  EXPECT_DOUBLE_EQ(cost.product(100, 20, 30, Target::again), 6e-9 * flops::gemm(100, 20, 30));
  EXPECT_DOUBLE_EQ(cost.update(100, 20, 30, Target::again),
                   3e-9 * flops::syrk(20, 30) + 6e-9 * flops::gemm(80, 20, 30));
  EXPECT_DOUBLE_EQ(cost.fill(10), 160e-9);
  EXPECT_DOUBLE_EQ(cost.reduce(100), 3.2e-6 + 8e-9 * flops::gemm(10, 10, 1));
  EXPECT_DOUBLE_EQ(cost.solve(1000, 0, 1), 32e-6);
  EXPECT_DOUBLE_EQ(cost.solve(800, 20, 1), 32e-6);
  EXPECT_DOUBLE_EQ(cost.overhead(), 64e-9);
  EXPECT_EQ(cost.trsm(0, 100), 0);
  EXPECT_EQ(cost.update(0, 0, 100), 0);
  EXPECT_EQ(cost.product(0, 7, 100), 0);
}

/// Returns a table that has only the times of GEMM on a single target.
std::shared_ptr<CostTable> fused_table() {
  auto table = std::make_shared<CostTable>();
  table->gemm = table->gemm_again = {{1, 1, 2}, {4e-9, 3e-9}};  // inner dimensions 1 and 2
  return table;
}

TEST(KernelCost, HasGemmAndScatterApartAsHaloDoes) {
  const auto table = fused_table();
  table->gemm_alone = {{1, 1, 1}, {1e-9}};
  table->scatter = {{2, 1, 1}, {8e-9, 6e-9}};
  KernelCost cost;
  cost.measured = table;
  EXPECT_DOUBLE_EQ(cost.gemm(10, 20, 5), 2 * 10 * 20 * 5 * 1e-9);
  EXPECT_DOUBLE_EQ(cost.scatter(1, 20), 20 * 8e-9);
  EXPECT_DOUBLE_EQ(cost.scatter(10, 20), 10 * 20 * 6e-9);
  EXPECT_DOUBLE_EQ(cost.product(10, 20, 2), 2 * 10 * 20 * 2 * 3e-9) << "in one product, as before";
  EXPECT_EQ(cost.gemm(0, 20, 5), 0);
}

TEST(KernelCost, TakesGemmAndScatterApartWhereTheyWereMeasuredInOne) {
  KernelCost cost;
  cost.measured = fused_table();
  EXPECT_DOUBLE_EQ(cost.scatter(10, 20), 2 * 10 * 20 * 4e-9);
  EXPECT_DOUBLE_EQ(cost.gemm(10, 20, 2) + cost.scatter(10, 20), cost.product(10, 20, 2));
  EXPECT_EQ(cost.gemm(10, 20, 1), 0);
  const KernelCost rule_of_thumb;
  EXPECT_DOUBLE_EQ(rule_of_thumb.gemm(10, 20, 5) + rule_of_thumb.scatter(10, 20),
                   rule_of_thumb.product(10, 20, 5));
}

TEST(KernelsOn, TakeBothFromTheDeviceAlone) {
  KernelCost host;
  const auto table = fused_table();
  table->gemm_alone = {{1, 1, 1}, {1e-9}};
  table->scatter = {{1, 1, 1}, {8e-9}};
  host.measured = table;
  DeviceTable device;
  device.gemm = {{1, 1, 1}, {1e-10}};
  EXPECT_DOUBLE_EQ(kernels_on(device, host).scatter(10, 20), 2 * 10 * 20 * 1e-10);
  device.scatter = {{1, 1, 1}, {5e-10}};
  EXPECT_DOUBLE_EQ(kernels_on(device, host).scatter(10, 20), 10 * 20 * 5e-10);
}

TEST(KernelCost, OfFillingGrowsWithTheColumnsThatTakeEntriesOfA) {
  KernelCost cost = measured_cost();
  cost.column = 1e-6;
  EXPECT_DOUBLE_EQ(cost.fill(10, 3), 160e-9 + 3e-6);
  EXPECT_DOUBLE_EQ(cost.fill(0, 3), 3e-6);
}

TEST(KernelCost, OfATaskIsWhatSuchTasksTook) {
  EXPECT_EQ(KernelCost{}.task(TaskKind::subtree, 2.0, 1024), 2.0);
  EXPECT_NEAR(measured_cost().task(TaskKind::subtree, 2.0, 1024), 3.0, 1e-9);
  EXPECT_EQ(measured_cost().task(TaskKind::update, 2.0, 1024), 2.0);
}

}  // namespace
namespace {

LowerPattern band(Index n, Index below) {
  LowerPattern pattern;
  pattern.n = n;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < std::min(n, j + below + 1); ++i) pattern.row.push_back(i);
    pattern.column_begin.push_back(std::ssize(pattern.row));
  }
  return pattern;
}

std::vector<Index> as_they_are(Index n) {
  std::vector<Index> new_of(n);
  std::iota(new_of.begin(), new_of.end(), 0);
  return new_of;
}

std::vector<Index> shuffled(Index n) {
  std::vector<Index> new_of = as_they_are(n);
  std::shuffle(new_of.begin(), new_of.end(), std::mt19937(1));
  return new_of;
}

TEST(LinesAColumn, AreAnEighthOfTheEntriesWhereBothNumberingsAgree) {
  EXPECT_NEAR(lines_a_column(band(5000, 3), as_they_are(5000)), 4 / 8.0, 0.02);
  std::vector<Index> backwards = as_they_are(5000);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_NEAR(lines_a_column(band(5000, 3), backwards), 4 / 8.0, 0.02);
}

/// Returns the number of cache lines of A that are read per column. Each window of 128 columns of L
/// reads a line at most once.
double lines_read(const LowerPattern& pattern, std::span<const Index> new_of) {
  std::set<std::pair<Index, Count>> lines;  // window, line
  for (Index j = 0; j < pattern.n; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      lines.emplace(std::min(new_of[j], new_of[pattern.row[k]]) / 128, k / 8);
    }
  }
  return static_cast<double>(lines.size()) / pattern.n;
}

TEST(LinesAColumn, CountThoseOfNeighboursThatAreFarApart) {
  for (const Index below : {1, 3, 8}) {
    const LowerPattern pattern = band(30000, below);
    const std::vector<Index> new_of = shuffled(30000);
    const double all = lines_read(pattern, new_of);
    EXPECT_GT(all, 2.5 * (below + 1) / 8) << "much more than if entries were contiguous";
    EXPECT_NEAR(lines_a_column(pattern, new_of), all, 0.1 * all);
  }
}

TEST(LinesAColumn, OfSmallOrEmptyMatricesAreNotSampled) {
  EXPECT_DOUBLE_EQ(lines_a_column(band(8, 0), shuffled(8)), 1 / 8.0);
  EXPECT_EQ(lines_a_column(LowerPattern{}, {}), 0);
}

TEST(CostFor, TakesTheEntriesOfAMeanColumn) {
  auto table = std::make_shared<CostTable>();
  table->take = 1e-9;
  table->line = 1e-7;
  const KernelCost near = cost_for(facts_of(band(5000, 3), as_they_are(5000), 0), table);
  EXPECT_NEAR(near.column, 4e-9, 2e-9);
  const KernelCost apart = cost_for(facts_of(band(100000, 3), shuffled(100000), 0), table);
  const double others = lines_read(band(100000, 3), shuffled(100000)) - 0.5;
  EXPECT_NEAR(apart.column, 4e-9 + others * 1e-7, 0.1e-7);
  EXPECT_EQ(apart.measured, table);
}

TEST(CostFor, WithoutATableGoesByRulesOfThumb) {
  const KernelCost rules;
  const KernelCost cost = cost_for(facts_of(band(500, 3), as_they_are(500), 0), nullptr);
  EXPECT_EQ(cost.measured, nullptr);
  EXPECT_NEAR(cost.column, 4 * rules.taken, 0.1 * rules.taken);
  EXPECT_EQ(rules.column, 0);
}

}  // namespace
}  // namespace espalier::internal
