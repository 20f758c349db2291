// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/factor.hpp"

#include <gtest/gtest.h>

#include "codelets/dense_sample.hpp"
#include "codelets/sample_worker.hpp"

namespace espalier {
namespace {

using support::DenseSample;

/// A tile that is filled from a dense column of A for each of its own, below a factored block.
class SampleTile {
 public:
  SampleTile(Index rows, Index columns)
      : rows_(rows), columns_(columns), triangle_(DenseSample::dominant_lower(columns, 4)) {
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) {
        context_.entries.entry.emplace_back(columns + i, std::ssize(value_));
        value_.push_back(1.0 / (1 + i + 3 * j));
      }
      context_.entries.begin.push_back(std::ssize(value_));
    }
    context_.value = value_.data();
  }

  DenseSample run(const Kernels& kernels, Index slices) {
    ++context_.epoch;
    DenseSample tile(rows_, columns_);
    support::SampleWorker sample(1);
    const MatrixView data[] = {tile.view(), triangle_.view()};
    const FactorTask task{{&context_}, &lazy_, 0};
    support::run_in_slices(task, data, {kernels, sample.workspace}, slices);
    EXPECT_EQ(lazy_.epoch, context_.epoch);
    EXPECT_TRUE(tile.guards_intact());
    return tile;
  }
  /// What X Lᵀ differs from the entries of A.
  double residual(const DenseSample& x) const {
    double most = 0;
    for (Index j = 0; j < columns_; ++j) {
      for (Index i = 0; i < rows_; ++i) {
        double entry = -value_[i + static_cast<Count>(j) * rows_];
        for (Index k = 0; k <= j; ++k) entry += x(i, k) * triangle_(j, k);
        most = std::max(most, std::abs(entry));
      }
    }
    return most;
  }

 private:
  Index rows_;
  Index columns_;
  DenseSample triangle_;
  std::vector<double> value_;
  FactorContext context_;
  LazyTile lazy_{{0, columns_}};
};

TEST(FactorTask, SolvesForTheFilledTileInAnyNumberOfSlices) {
  for (const Index rows : {1, 7, 33, 257}) {
    for (const Index columns : {1, 9, 129}) {
      SampleTile sample(rows, columns);
      for (const Kernels* kernels : {&reference::kernels, &cpu::kernels}) {
        for (const Index slices : {1, 2, 4, 9}) {
          EXPECT_LE(sample.residual(sample.run(*kernels, slices)), 1e-13 * columns)
              << rows << " by " << columns << " in " << slices;
        }
      }
    }
  }
}

/// The rows of the diagonal block above them stay as they are.
TEST(FactorTask, SkipsTheRowsOfTheDiagonalBlockInTheSameTile) {
  constexpr Index width = 9;
  const DenseSample triangle = DenseSample::dominant_lower(width, 4);
  for (const Index slices : {1, 3}) {
    DenseSample tile = DenseSample::random(width + 20, width, 5);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < width; ++i) tile(i, j) = triangle(i, j);
    }
    DenseSample expected = tile;
    reference::kernels.trsm(triangle.view(), expected.view().row_range(width, 20), {});
    FactorContext context;
    LazyTile lazy;
    support::SampleWorker sample(1);
    const MatrixView data[] = {tile.view()};
    support::run_in_slices(FactorTask{{&context}, &lazy, width}, data, sample.worker, slices);
    EXPECT_TRUE(tile.same_bits(expected));
  }
}

}  // namespace
}  // namespace espalier
