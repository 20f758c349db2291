// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/grid_problems.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "support/matrices.hpp"

namespace espalier {
namespace {

using Numbers = std::vector<double>;

/// All pairs of points of an m x m x m grid, by definition.
template <typename Value>
Numbers cube_by_definition(Index m, Value&& value) {
  const Index n = m * m * m;
  Numbers dense(static_cast<std::size_t>(n) * n, 0);
  for (Index p = 0; p < n; ++p) {
    for (Index q = 0; q < n; ++q) {
      const Index dx = std::abs(p / (m * m) - q / (m * m));
      const Index dy = std::abs(p / m % m - q / m % m);
      const Index dz = std::abs(p % m - q % m);
      dense[p + static_cast<std::size_t>(q) * n] = value(dx, dy, dz);
    }
  }
  return dense;
}

TEST(Laplace2d, OfThreeByThreePointsIsKnown) {
  const SparseMatrix a = laplace2d(3);

  EXPECT_NO_THROW(check(a));
  const Numbers first_columns(a.value.begin(), a.value.begin() + 8);
  EXPECT_EQ(first_columns, (Numbers{3, -1, -1, 4, -1, -1, 3, -1}));
  const std::vector<Index> first_rows(a.pattern.row.begin(), a.pattern.row.begin() + 8);
  EXPECT_EQ(first_rows, (std::vector<Index>{0, 1, 3, 1, 2, 4, 2, 5}));
  EXPECT_EQ(a.pattern.entries(), 9 + 12);
}

TEST(Laplace2d, OfOneAndFourPoints) {
  EXPECT_EQ(laplace2d(1).value, Numbers{1});
  EXPECT_EQ(support::to_dense(laplace2d(2)),
            (Numbers{3, -1, -1, 0, -1, 3, 0, -1, -1, 0, 3, -1, 0, -1, -1, 3}));
}

TEST(Laplace3d, IsItsDefinition) {
  for (const Index m : {1, 2, 3, 4}) {
    const SparseMatrix a = laplace3d(m);
    EXPECT_NO_THROW(check(a));
    EXPECT_EQ(support::to_dense(a), cube_by_definition(m, [](Index dx, Index dy, Index dz) {
                const Index distance = dx + dy + dz;
                return distance == 0 ? 6 : distance == 1 ? -1 : 0;
              }));
    EXPECT_EQ(a.pattern.entries(), m * m * m + 3 * m * m * (m - 1));
  }
}

TEST(Stencil27, IsItsDefinition) {
  for (const Index m : {1, 2, 3, 4}) {
    const SparseMatrix a = stencil27(m);
    EXPECT_NO_THROW(check(a));
    EXPECT_EQ(support::to_dense(a), cube_by_definition(m, [](Index dx, Index dy, Index dz) {
                const bool near = dx <= 1 && dy <= 1 && dz <= 1;
                return dx + dy + dz == 0 ? 26 : near ? -1 : 0;
              }));
  }
}

}  // namespace
}  // namespace espalier
