// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "codelets/cpu/simd/instruction_sets.hpp"
#include "codelets/cpu/simd/kernels.hpp"
#include "codelets/flavours.hpp"
#include "codelets/kernels.hpp"
#include "codelets/samples.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::awkward_sizes;
using support::DenseSample;
using support::Flavour;

constexpr Index right_hand_sides[] = {1, 2, 3, 7, 8, 9, 24, 25, 65};

TEST(ReferenceSolve, OfTwoRowsByHand) {
  DenseSample l(2, 2);
  l(0, 0) = 2, l(1, 0) = 3, l(1, 1) = 4;
  DenseSample x(1, 2, 0);
  x(0, 0) = 4, x(0, 1) = 14;
  reference::kernels.forward(l.view(), x.view());
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(0, 1), 2);
  x(0, 0) = 7, x(0, 1) = 4;
  reference::kernels.backward(l.view(), x.view());
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(0, 1), 1);
}

TEST(ReferenceSolve, OfATrapezoidByHand) {
  DenseSample l(2, 1);
  l(0, 0) = 2, l(1, 0) = 3;
  DenseSample x(1, 2, 0);
  x(0, 0) = 8, x(0, 1) = 14;
  reference::kernels.forward(l.view(), x.view());
  EXPECT_EQ(x(0, 0), 4);
  EXPECT_EQ(x(0, 1), 2);
  reference::kernels.backward(l.view(), x.view());
  EXPECT_EQ(x(0, 0), -1);
  EXPECT_EQ(x(0, 1), 2);
}

TEST(ReferenceMultiply, OfTwoRowsByHand) {
  DenseSample a(2, 1);
  a(0, 0) = 2, a(1, 0) = 3;
  DenseSample x(1, 1, 0);
  x(0, 0) = 5;
  DenseSample y(1, 2, 0);
  y(0, 0) = 100, y(0, 1) = 200;
  reference::kernels.multiply(a.view(), x.view(), y.view());
  EXPECT_EQ(y(0, 0), 90);
  EXPECT_EQ(y(0, 1), 185);
  reference::kernels.multiply_transposed(a.view(), y.view(), x.view());
  EXPECT_EQ(x(0, 0), 5 - 180 - 555);
}

/// Solve kernels of an instruction set in the common table, completed by those of the reference.
template <const simd::SolveKernels& single>
const Kernels& completed() {
  static const Kernels kernels = [] {
    Kernels made = reference::kernels;
    made.forward = [](ConstMatrixView l, MatrixView x) noexcept {
      x.rows == 1 ? single.forward(l, x.data) : reference::kernels.forward(l, x);
    };
    made.backward = [](ConstMatrixView l, MatrixView x) noexcept {
      x.rows == 1 ? single.backward(l, x.data) : single.backward_many(l, x);
    };
    made.multiply = [](ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
      x.rows == 1 ? single.multiply(a, x.data, y.data) : reference::kernels.multiply(a, x, y);
    };
    made.multiply_transposed = [](ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept {
      x.rows == 1 ? single.multiply_transposed(a, y.data, x.data)
                  : reference::kernels.multiply_transposed(a, y, x);
    };
    return made;
  }();
  return kernels;
}

std::vector<Flavour> solve_flavours() {
  std::vector<Flavour> flavours{{"cpu", cpu::kernels},
                                {"portable", completed<simd::portable_solve>()}};
#ifdef __x86_64__
  flavours.push_back({"avx2", completed<simd::avx2_solve>(), simd::has_avx2()});
  flavours.push_back({"avx512", completed<simd::avx512_solve>(), simd::has_avx512()});
#endif
  return flavours;
}

/// Vectors by rows, with a guard row at either end that kernels must neither write nor use.
class Vectors {
 public:
  Vectors(Index count, Index rows, std::uint64_t seed)
      : count_(count), rows_(rows), sample_(count, rows + 2, 0) {
    const DenseSample values = DenseSample::random(count, rows, seed);
    for (Index i = 0; i < rows; ++i) {
      for (Index r = 0; r < count; ++r) sample_(r, i + 1) = values(r, i);
    }
  }
  MatrixView view() { return sample_.view().column_range(1, rows_); }
  bool guards_intact() const {
    for (Index r = 0; r < count_; ++r) {
      if (!std::isnan(sample_(r, 0)) || !std::isnan(sample_(r, rows_ + 1))) return false;
    }
    return true;
  }

 private:
  Index count_;
  Index rows_;
  DenseSample sample_;
};

class SolveKernelTest : public support::KernelTest {
 protected:
  /// Compares kernel(kernels, vectors) with the reference's kernels, for each number of vectors.
  template <class Kernel>
  void expect_equal_to_reference(Kernel kernel, Index rows, Index inner,
                                 std::span<const Index> counts = right_hand_sides) const {
    for (const Index count : counts) {
      SCOPED_TRACE(testing::Message() << rows << " rows, " << count << " right-hand sides");
      Vectors expected(count, rows, count);
      Vectors actual = expected;
      kernel(reference::kernels, expected.view());
      kernel(kernels(), actual.view());
      EXPECT_TRUE(support::close(actual.view(), expected.view(), inner));
      EXPECT_TRUE(actual.guards_intact());
    }
  }

  void expect_products_equal(Index rows, Index inner) const {
    const DenseSample a = DenseSample::random(rows, inner, 5);
    auto product = [&](const Kernels& k, MatrixView y) {
      k.multiply(a.view(), Vectors(y.rows, inner, 6).view(), y);
    };
    auto transposed = [&](const Kernels& k, MatrixView x) {
      k.multiply_transposed(a.view(), Vectors(x.rows, rows, 6).view(), x);
    };
    expect_equal_to_reference(product, rows, inner);
    expect_equal_to_reference(transposed, inner, rows);
  }
};

/// Each shape is tested with three numbers of right-hand sides, which change from shape to shape.
TEST_P(SolveKernelTest, SolvesWithTrapezoidsAsTheReference) {
  std::size_t turn = 0;
  for (const Index n : awkward_sizes) {
    for (const Index below : {0, 1, 5, 8, 67}) {
      const std::span<const Index> counts = std::span(right_hand_sides).subspan(turn++ % 3 * 3, 3);
      const Index rows = n + below;
      DenseSample l = DenseSample::random(rows, n, n);
      for (Index j = 0; j < n; ++j) l(j, j) = rows + 1;
      l.hide_upper();
      auto forward = [&](const Kernels& k, MatrixView x) { k.forward(l.view(), x); };
      auto backward = [&](const Kernels& k, MatrixView x) { k.backward(l.view(), x); };
      expect_equal_to_reference(forward, rows, rows, counts);
      expect_equal_to_reference(backward, rows, rows, counts);
      if (HasFailure()) return;
    }
  }
}

TEST_P(SolveKernelTest, MultipliesAsTheReference) {
  for (const Index rows : {0, 1, 2, 7, 33, 129, 257}) {
    for (const Index inner : {0, 1, 3, 8, 23, 65}) expect_products_equal(rows, inner);
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, SolveKernelTest, testing::ValuesIn(solve_flavours()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier::internal
