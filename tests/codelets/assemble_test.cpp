// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/assemble.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "base/packed_triangle.hpp"
#include "codelets/dense_sample.hpp"
#include "codelets/sample_worker.hpp"

namespace espalier {
namespace {

using support::DenseSample;

/// A contribution with c(i,j) = 1000 i + j for i >= j and NaN wherever else memory is.
class Contribution {
 public:
  explicit Contribution(Index order)
      : memory_(PackedTriangle::entries(order), std::numeric_limits<double>::quiet_NaN()),
        order_(order) {
    const PackedTriangle triangle(memory_.data(), order);
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i) *triangle.at(i, j) = 1000.0 * i + j;
    }
  }
  MatrixView view() {
    return {memory_.data(), static_cast<Index>(memory_.size()), 1, std::ssize(memory_)};
  }
  Index order() const { return order_; }

 private:
  std::vector<double> memory_;
  Index order_;
};

/// Assembles rows [first_row, row_end) and columns [first_column, column_end) of a contribution
/// whose i-th row is row `2 i + 10` of L, into a tile with every row of L from its first on.
void check_part(Index order, Index first_row, Index row_end, Index first_column, Index column_end) {
  SCOPED_TRACE(testing::Message() << order << ": " << first_row << ".." << row_end << ", "
                                  << first_column << ".." << column_end);
  std::vector<Index> external(order);
  for (Index i = 0; i < order; ++i) external[i] = 2 * i + 10;
  const Index target_column = external[first_column] - 1;
  const Index width = external[column_end - 1] - target_column + 2;
  std::vector<Index> target_rows(external[row_end - 1] - external[first_row] + 3);
  std::iota(target_rows.begin(), target_rows.end(), external[first_row] - 1);

  Contribution contribution(order);
  DenseSample target(std::ssize(target_rows), width);
  for (Index j = 0; j < width; ++j) std::fill_n(target.view().column(j), target.view().rows, 0.5);
  FactorContext context;
  LazyTile lazy;
  const std::span rows(external);
  const AssembleTask task{{&context},
                          &lazy,
                          target_rows,
                          target_column,
                          rows.subspan(first_row, row_end - first_row),
                          rows.subspan(first_column, column_end - first_column),
                          first_row,
                          first_column,
                          order};
  const MatrixView data[] = {target.view(), contribution.view()};
  support::SampleWorker sample(3 * order);
  task.run(data, sample.worker);

  for (Index c = 0; c < width; ++c) {
    for (Index r = 0; r < std::ssize(target_rows); ++r) {
      const Index i = (target_rows[r] - 10) / 2;
      const Index j = (target_column + c - 10) / 2;
      const bool taken = target_rows[r] == 2 * i + 10 && target_column + c == 2 * j + 10 &&
                         first_row <= i && i < row_end && first_column <= j && j < column_end &&
                         i >= j;
      ASSERT_EQ(target(r, c), 0.5 + (taken ? 1000.0 * i + j : 0)) << i << ", " << j;
    }
  }
  EXPECT_TRUE(target.guards_intact());
}

TEST(AssembleTask, AddsATrapezoid) {
  check_part(6, 1, 6, 1, 4);
  check_part(1, 0, 1, 0, 1);
  check_part(5, 0, 5, 0, 5);
}

TEST(AssembleTask, AddsARectangleBelow) {
  check_part(7, 4, 7, 1, 3);
  check_part(7, 6, 7, 0, 1);
}

TEST(AssembleTask, AddsPartsThatCrossStrips) {
  check_part(300, 120, 300, 120, 140);
  check_part(300, 250, 260, 100, 150);
  check_part(257, 0, 257, 127, 129);
}

}  // namespace
}  // namespace espalier
