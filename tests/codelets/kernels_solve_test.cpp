// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
  reference::kernels.forward(l.view(), x.view(), nullptr);
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(0, 1), 2);
  x(0, 0) = 7, x(0, 1) = 4;
  reference::kernels.backward(l.view(), x.view(), nullptr);
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(0, 1), 1);
}

TEST(ReferenceSolve, OfATrapezoidByHand) {
  DenseSample l(2, 1);
  l(0, 0) = 2, l(1, 0) = 3;
  DenseSample x(1, 2, 0);
  x(0, 0) = 8, x(0, 1) = 14;
  reference::kernels.forward(l.view(), x.view(), nullptr);
  EXPECT_EQ(x(0, 0), 4);
  EXPECT_EQ(x(0, 1), 2);
  reference::kernels.backward(l.view(), x.view(), nullptr);
  EXPECT_EQ(x(0, 0), -1);
  EXPECT_EQ(x(0, 1), 2);
}

TEST(ReferenceSolve, WithSignsOfATrapezoidByHand) {
  DenseSample l(3, 2);
  l(0, 0) = 2, l(1, 0) = 3, l(2, 0) = 5, l(1, 1) = 4, l(2, 1) = 7;
  const double signs[] = {1, -1};
  DenseSample x(1, 3, 0);
  x(0, 0) = 4, x(0, 1) = 14, x(0, 2) = 10;
  reference::kernels.forward(l.view(), x.view(), signs);
  EXPECT_EQ(x(0, 0), 2);
  EXPECT_EQ(x(0, 1), 2);
  EXPECT_EQ(x(0, 2), 10 - 5 * 2 + 7 * 2);
  x(0, 0) = 4, x(0, 1) = 3, x(0, 2) = 1;
  reference::kernels.backward(l.view(), x.view(), signs);
  EXPECT_EQ(x(0, 1), 1);   // -(3 - 7) / 4
  EXPECT_EQ(x(0, 0), -2);  // ((4 - 5) - 3 * 1) / 2
}

TEST(ReferenceMultiply, OfTwoRowsByHand) {
  DenseSample a(2, 1);
  a(0, 0) = 2, a(1, 0) = 3;
  DenseSample x(1, 1, 0);
  x(0, 0) = 5;
  DenseSample y(1, 2, 0);
  y(0, 0) = 100, y(0, 1) = 200;
  reference::kernels.multiply(a.view(), x.view(), y.view(), nullptr, {});
  EXPECT_EQ(y(0, 0), 90);
  EXPECT_EQ(y(0, 1), 185);
  const double minus[] = {-1};
  reference::kernels.multiply(a.view(), x.view(), y.view(), minus, {});
  EXPECT_EQ(y(0, 0), 100);
  EXPECT_EQ(y(0, 1), 200);
  reference::kernels.multiply(a.view(), x.view(), y.view(), nullptr, {});
  reference::kernels.multiply_transposed(a.view(), y.view(), x.view());
  EXPECT_EQ(x(0, 0), 5 - 180 - 555);
}

/// Solve kernels of an instruction set in the common table, completed by those of the reference.
template <const simd::SolveKernels& single>
const Kernels& completed() {
  static const Kernels kernels = [] {
    Kernels made = reference::kernels;
    made.forward = [](ConstMatrixView l, MatrixView x, Signs sign) noexcept {
      x.rows == 1 ? single.forward(l, x.data, sign) : reference::kernels.forward(l, x, sign);
    };
    made.backward = [](ConstMatrixView l, MatrixView x, Signs sign) noexcept {
      x.rows == 1 ? single.backward(l, x.data, sign) : single.backward_many(l, x, sign);
    };
    made.multiply = [](ConstMatrixView a, ConstMatrixView x, MatrixView y, Signs sign,
                       std::span<double> buffer) noexcept {
      x.rows == 1 && sign == nullptr ? single.multiply(a, x.data, y.data)
                                     : reference::kernels.multiply(a, x, y, sign, buffer);
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

  void expect_products_equal(Index rows, Index inner,
                             std::span<const Index> counts = right_hand_sides) const {
    const DenseSample a = DenseSample::random(rows, inner, 5);
    const std::vector<double> signs = support::random_signs(inner, 7);
    for (const Signs sign : {Signs(), signs.data()}) {
      auto product = [&](const Kernels& k, MatrixView y) {
        k.multiply(a.view(), Vectors(y.rows, inner, 6).view(), y, sign, support::fresh_buffer());
      };
      expect_equal_to_reference(product, rows, inner, counts);
    }
    auto transposed = [&](const Kernels& k, MatrixView x) {
      k.multiply_transposed(a.view(), Vectors(x.rows, rows, 6).view(), x);
    };
    expect_equal_to_reference(transposed, inner, rows, counts);
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
      const std::vector<double> signs = support::random_signs(n, turn);
      for (const Signs sign : {Signs(), signs.data()}) {
        auto forward = [&](const Kernels& k, MatrixView x) { k.forward(l.view(), x, sign); };
        auto backward = [&](const Kernels& k, MatrixView x) { k.backward(l.view(), x, sign); };
        expect_equal_to_reference(forward, rows, rows, counts);
        expect_equal_to_reference(backward, rows, rows, counts);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(SolveKernelTest, MultipliesAsTheReference) {
  for (const Index rows : {0, 1, 2, 7, 33, 129, 257}) {
    for (const Index inner : {0, 1, 3, 8, 23, 65}) expect_products_equal(rows, inner);
  }
}

/// X is then larger than the buffer.
TEST_P(SolveKernelTest, MultipliesManyRightHandSides) {
  constexpr Index counts[] = {3000};
  expect_products_equal(9, 65, counts);
}

/// X is const, but kernels could still write it.
TEST_P(SolveKernelTest, KeepTheVectorsThatTheyMultiply) {
  constexpr Index columns = 67;
  const DenseSample a = DenseSample::random(9, columns, 5);
  const std::vector<double> signs = support::random_signs(columns, 7);
  for (const Index count : {1, 2, 5, 64}) {
    const DenseSample given = DenseSample::random(count, columns, 6);
    DenseSample x(count, columns, 0);
    for (Index j = 0; j < columns; ++j) {
      for (Index r = 0; r < count; ++r) x(r, j) = given(r, j);
    }
    const DenseSample before = x;
    Vectors y(count, 9, 1);
    kernels().multiply(a.view(), x.view(), y.view(), signs.data(), support::fresh_buffer());
    EXPECT_TRUE(x.same_bits(before)) << count;
  }
}

/// A system A X = B with A = L J Lᵀ. L has two panels of columns. Below its triangle, the first
/// panel stores Z = L J.
class SystemOfTwoPanels {
 public:
  SystemOfTwoPanels(Index first, Index second)
      : first_(first),
        n_(first + second),
        signs_(support::random_signs(n_, 3)),
        stored_(DenseSample::random(n_, n_, 4)) {
    for (Index j = 0; j < n_; ++j) stored_(j, j) = n_;
    stored_.hide_upper();
  }

  void solve(const Kernels& kernels, MatrixView x) const {
    const ConstMatrixView upper = stored_.view().column_range(0, first_);
    const ConstMatrixView lower{&stored_.view()(first_, first_), n_ - first_, n_ - first_,
                                stored_.view().ld};
    const MatrixView rest = x.column_range(first_, n_ - first_);
    kernels.forward(upper, x, signs_.data());
    kernels.forward(lower, rest, signs_.data() + first_);
    kernels.backward(lower, rest, signs_.data() + first_);
    kernels.backward(upper, x, signs_.data());
  }

  /// Returns A X for vectors by rows.
  DenseSample product(ConstMatrixView x) const {
    DenseSample scaled(x.rows, n_);  // J Lᵀ X
    DenseSample result(x.rows, n_);
    for (Index r = 0; r < x.rows; ++r) {
      for (Index k = 0; k < n_; ++k) {
        scaled(r, k) = 0;
        for (Index i = k; i < n_; ++i) scaled(r, k) += signs_[k] * l(i, k) * x(r, i);
      }
      for (Index i = 0; i < n_; ++i) {
        result(r, i) = 0;
        for (Index k = 0; k <= i; ++k) result(r, i) += l(i, k) * scaled(r, k);
      }
    }
    return result;
  }

 private:
  double l(Index i, Index k) const {
    return k < first_ && i >= first_ ? stored_(i, k) * signs_[k] : stored_(i, k);
  }

  Index first_;
  Index n_;
  std::vector<double> signs_;
  DenseSample stored_;
};

TEST_P(SolveKernelTest, SolveASystemWithSigns) {
  for (const auto& [first, second] : {std::pair<Index, Index>{1, 1}, {3, 5}, {24, 9}, {67, 70}}) {
    const SystemOfTwoPanels system(first, second);
    for (const Index count : {1, 2, 5, 64}) {
      SCOPED_TRACE(testing::Message() << first << " + " << second << " rows, " << count);
      Vectors x(count, first + second, count);
      const Vectors b = x;
      system.solve(kernels(), x.view());
      EXPECT_TRUE(x.guards_intact());
      constexpr double growth = 10;  // of errors: L has a dominant diagonal
      EXPECT_TRUE(support::close(system.product(x.view()).view(), Vectors(b).view(), first + second,
                                 growth));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, SolveKernelTest, testing::ValuesIn(solve_flavours()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier::internal
