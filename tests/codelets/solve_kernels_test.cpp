// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "codelets/dense_sample.hpp"
#include "codelets/kernels.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

using support::awkward_sizes;
using support::DenseSample;

constexpr Index right_hand_sides[] = {1, 2, 9, 65};

TEST(ReferenceSolve, OfTwoRowsByHand) {
  DenseSample l(2, 2);
  l(0, 0) = 2, l(1, 0) = 3, l(1, 1) = 4;
  DenseSample x(2, 1);
  x(0, 0) = 4, x(1, 0) = 14;
  reference::kernels.solve_lower(l.view(), x.view());
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(1, 0), 2);
  x(0, 0) = 7, x(1, 0) = 4;
  reference::kernels.solve_lower_transposed(l.view(), x.view());
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(1, 0), 1);
}

TEST(ReferenceMultiply, OfTwoRowsByHand) {
  DenseSample a(2, 1);
  a(0, 0) = 2, a(1, 0) = 3;
  DenseSample x(1, 1);
  x(0, 0) = 5;
  DenseSample y(2, 1);
  y(0, 0) = 100, y(1, 0) = 200;
  reference::kernels.multiply(a.view(), x.view(), y.view());
  EXPECT_EQ(y(0, 0), 90);
  EXPECT_EQ(y(1, 0), 185);
  reference::kernels.multiply_transposed(a.view(), y.view(), x.view());
  EXPECT_EQ(x(0, 0), 5 - 180 - 555);
}

/// One kernel of both flavours on the same left operand and the same vectors.
template <class Kernel>
void expect_equal_to_reference(Kernel kernel, const DenseSample& left, Index rows, Index inner) {
  for (const Index columns : right_hand_sides) {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << columns << " right-hand sides");
    DenseSample expected = DenseSample::random(rows, columns, columns);
    DenseSample actual = expected;
    kernel(reference::kernels, left.view(), expected.view());
    kernel(cpu::kernels, left.view(), actual.view());
    EXPECT_TRUE(support::close(actual.view(), expected.view(), inner));
    EXPECT_TRUE(actual.guards_intact());
  }
}

TEST(CpuSolve, EqualsTheReference) {
  for (const Index n : awkward_sizes) {
    const DenseSample l = DenseSample::dominant_lower(n, n);
    auto forward = [](const Kernels& k, ConstMatrixView a, MatrixView x) { k.solve_lower(a, x); };
    auto backward = [](const Kernels& k, ConstMatrixView a, MatrixView x) {
      k.solve_lower_transposed(a, x);
    };
    expect_equal_to_reference(forward, l, n, n);
    expect_equal_to_reference(backward, l, n, n);
  }
}

void expect_products_equal(Index rows, Index inner) {
  const DenseSample a = DenseSample::random(rows, inner, 5);
  const DenseSample x = DenseSample::random(std::max(rows, inner), 65, 6);
  auto product = [&](const Kernels& k, ConstMatrixView left, MatrixView y) {
    k.multiply(left, x.view().row_range(0, inner).column_range(0, y.columns), y);
  };
  auto transposed = [&](const Kernels& k, ConstMatrixView left, MatrixView y) {
    k.multiply_transposed(left, x.view().row_range(0, rows).column_range(0, y.columns), y);
  };
  expect_equal_to_reference(product, a, rows, inner);
  expect_equal_to_reference(transposed, a, inner, rows);
}

TEST(CpuMultiply, EqualsTheReference) {
  for (const Index rows : {0, 1, 2, 7, 33, 129, 257}) {
    for (const Index inner : {0, 1, 3, 8, 65}) expect_products_equal(rows, inner);
  }
}

}  // namespace
}  // namespace espalier
