// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "codelets/dense_sample.hpp"
#include "codelets/flavours.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

using support::awkward_sizes;
using support::DenseSample;

constexpr Index rows_of_b[] = {0, 1, 2, 8, 9, 33, 130};

TEST(ReferenceTrsm, OfTwoColumnsByHand) {
  DenseSample l(2, 2);
  l(0, 0) = 2, l(1, 0) = 3, l(1, 1) = 4;
  DenseSample b(1, 2);
  b(0, 0) = 10, b(0, 1) = 23;
  reference::kernels.trsm(l.view(), b.view(), {});
  EXPECT_EQ(b(0, 0), 5);
  EXPECT_EQ(b(0, 1), 2);
}

TEST(ReferenceTrsm, MultipliedByTheTriangleGivesTheRightHandSideBack) {
  for (const Index n : {1, 7, 33}) {
    const DenseSample l = DenseSample::dominant_lower(n, n);
    const DenseSample b = DenseSample::random(5, n, n);
    DenseSample x = b;
    reference::kernels.trsm(l.view(), x.view(), {});
    DenseSample product(5, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < 5; ++i) {
        product(i, j) = 0;
        for (Index k = 0; k <= j; ++k) product(i, j) += x(i, k) * l(j, k);
      }
    }
    EXPECT_TRUE(support::close(product.view(), b.view(), n)) << n;
  }
}

class Trsm : public support::KernelTest {
 protected:
  void expect_equal_to_reference(Index rows, Index order) const {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(order));
    const DenseSample l = DenseSample::dominant_lower(order, order);
    const DenseSample b = DenseSample::random(rows, order, rows + 1);
    DenseSample expected = b;
    reference::kernels.trsm(l.view(), expected.view(), {});
    std::vector<double> buffer(update_buffer_entries, std::numeric_limits<double>::quiet_NaN());
    for (const std::span<double> scratch : {std::span<double>(buffer), std::span<double>()}) {
      DenseSample actual = b;
      kernels().trsm(l.view(), actual.view(), scratch);
      EXPECT_TRUE(support::close(actual.view(), expected.view(), order)) << scratch.size();
      EXPECT_TRUE(actual.guards_intact());
    }
  }
};

TEST_P(Trsm, EqualsTheReference) {
  for (const Index order : awkward_sizes) {
    for (const Index rows : rows_of_b) expect_equal_to_reference(rows, order);
  }
  expect_equal_to_reference(733, 231);
}

INSTANTIATE_TEST_SUITE_P(Flavours, Trsm, testing::ValuesIn(support::all_flavours()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier
