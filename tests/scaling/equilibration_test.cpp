// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/equilibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "matrix/generators.hpp"
#include "scaling/graded.hpp"
#include "support/matrices.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

/// Expects powers of two that scale the largest entry of each row to about 1.
void expect_equilibrated(const SparseMatrix& a, const std::vector<double>& scale) {
  ASSERT_EQ(std::ssize(scale), a.pattern.n);
  for (const double s : scale) EXPECT_EQ(std::exp2(std::ilogb(s)), s);
  const std::vector<double> largest = largest_scaled(a, scale);
  for (Index i = 0; i < a.pattern.n; ++i) {
    EXPECT_GE(largest[i], 0.25) << "row " << i;
    EXPECT_LE(largest[i], 2) << "row " << i;
  }
}

void expect_equilibrated(const SparseMatrix& a) {
  expect_equilibrated(a, equilibration(a));
  expect_equilibrated(a, diagonal_equilibration(a));
}

TEST(Equilibration, ScalesTheLargestEntryOfEachRowToAboutOne) {
  for (const auto& [name, matrix] : support::small_matrices()) {
    SCOPED_TRACE(name);
    expect_equilibrated(matrix);
  }
  for (const char* spec : {"stokes2d:8", "mixed2d:8", "helmholtz3d:5"}) {
    SCOPED_TRACE(spec);
    expect_equilibrated(generate_matrix(spec));
  }
}

TEST(Equilibration, ScalesEntriesOfAnySizeWithoutOverflow) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    expect_equilibrated(graded(random_symmetric(20, 0.2, seed), 150, seed));
    expect_equilibrated(graded(support::random_dominant(30, 3, seed), 150, seed));
  }
  expect_equilibrated(support::from_entries(2, {{0, 0, 1e300}, {1, 0, 1e300}, {1, 1, 1e-300}}));
  expect_equilibrated(support::from_entries(2, {{0, 0, 1e-300}, {1, 0, 1e-320}, {1, 1, 1e-307}}));
  expect_equilibrated(support::from_entries(1, {{0, 0, 1e306}}));
}

TEST(Equilibration, KeepsEveryScaleRepresentable) {
  // The second row needs 2^1495.
  const auto a = support::from_entries(2, {{0, 0, 1e300}, {1, 0, 1e-300}, {1, 1, 0}});
  const std::vector<double> scale = equilibration(a);
  EXPECT_EQ(scale[1], std::exp2(511));
  EXPECT_EQ(scale[0], std::exp2(std::round(-std::log2(1e300) / 2)));
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(equilibration(support::from_entries(1, {{0, 0, smallest}})),
            std::vector{std::exp2(511)});
}

TEST(Equilibration, ScalesAConstraintForItsVariables) {
  const auto a =
      support::from_entries(3, {{0, 0, 0x1p-10}, {1, 1, 0x1p-10}, {2, 2, 0}, {2, 0, 1}, {2, 1, 1}});
  EXPECT_EQ(equilibration(a), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(diagonal_equilibration(a), (std::vector<double>{0x1p5, 0x1p5, 0x1p-5}));
}

TEST(Equilibration, LeavesRowsOfZerosAlone) {
  const auto a = support::from_entries(3, {{0, 0, 64}, {1, 0, 0}, {1, 1, -0.0}, {2, 2, 0}});
  EXPECT_EQ(equilibration(a), (std::vector<double>{0.125, 1, 1}));
  EXPECT_EQ(diagonal_equilibration(a), (std::vector<double>{0.125, 1, 1}));
  EXPECT_TRUE(equilibration(SparseMatrix{}).empty());
  EXPECT_TRUE(diagonal_equilibration(SparseMatrix{}).empty());
}

TEST(Equilibration, DoesNotDependOnTheNumberingOrOnPowersOfFour) {
  const auto a =
      support::from_entries(3, {{0, 0, 1}, {1, 0, 8}, {1, 1, 0}, {2, 1, 2}, {2, 2, 1e-3}});
  const auto b =
      support::from_entries(3, {{2, 2, 4}, {2, 1, 32}, {1, 1, 0}, {1, 0, 8}, {0, 0, 4e-3}});
  const std::vector<double> of_a = equilibration(a), of_b = equilibration(b);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(of_b[2 - i], of_a[i] / 2);
}

}  // namespace
}  // namespace espalier::internal
