// SPDX-License-Identifier: BSD-3-Clause
#include "solver/gmres.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace espalier::internal {
namespace {

using Vector = std::vector<double>;

/// A dense matrix by rows, which counts its products.
struct Dense {
  std::size_t n;
  Vector value = Vector(n * n);
  int products = 0;

  MatrixProduct product() {
    return [this](std::span<const double> x, std::span<double> y) {
      ++products;
      for (std::size_t i = 0; i < n; ++i) {
        y[i] = 0;
        for (std::size_t j = 0; j < n; ++j) y[i] += value[i * n + j] * x[j];
      }
    };
  }
};

Vector random_vector(std::size_t n, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector x(n);
  for (double& entry : x) entry = uniform(random);
  return x;
}

/// Returns the identity plus a matrix of this rank.
Dense near_identity(std::size_t n, int rank, std::mt19937& random) {
  Dense b{n};
  for (std::size_t i = 0; i < n; ++i) b.value[i * n + i] = 1;
  for (int k = 0; k < rank; ++k) {
    const Vector u = random_vector(n, random);
    const Vector v = random_vector(n, random);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) b.value[i * n + j] += u[i] * v[j];
    }
  }
  return b;
}

double residual(Dense& b, const Vector& c, const Vector& y) {
  Vector r(c.size());
  b.product()(y, r);
  for (std::size_t i = 0; i < c.size(); ++i) r[i] = c[i] - r[i];
  return norm2(r);
}

TEST(Gmres, SolvesNonsymmetricSystems) {
  std::mt19937 random(1);
  for (const std::size_t n : {1U, 2U, 10U, 40U}) {
    Dense b{n, random_vector(n * n, random)};
    const Vector c = random_vector(n, random);
    const Vector y = gmres(b.product(), c, 1e-11, static_cast<Index>(n));
    EXPECT_LE(residual(b, c, y), 1e-9) << n;
  }
}

TEST(Gmres, TakesOneStepMoreThanTheRankOfAChange) {
  std::mt19937 random(2);
  for (const int rank : {0, 1, 5}) {
    Dense b = near_identity(50, rank, random);
    const Vector c = random_vector(50, random);
    const Vector y = gmres(b.product(), c, 1e-10, 50);
    EXPECT_LE(b.products, rank + 1);
    EXPECT_LE(residual(b, c, y), 1e-9) << rank;
  }
}

TEST(Gmres, StopsAtTheBoundAndAtTheLastStep) {
  std::mt19937 random(3);
  Dense b = near_identity(30, 8, random);
  const Vector c = random_vector(30, random);
  EXPECT_LE(residual(b, c, gmres(b.product(), c, 0.5, 30)), 0.5 + 1e-12);
  b.products = 0;
  const Vector y = gmres(b.product(), c, 0, 3);
  EXPECT_EQ(b.products, 3);
  EXPECT_LT(residual(b, c, y), norm2(c));
}

TEST(Gmres, FindsNoSolutionOfASingularSystem) {
  // The last row is zero.
  std::mt19937 random(4);
  Dense b{6, random_vector(36, random)};
  for (std::size_t j = 0; j < 6; ++j) b.value[30 + j] = 0;
  Vector c = random_vector(6, random);
  c[5] = 1;
  EXPECT_FALSE(residual(b, c, gmres(b.product(), c, 1e-10, 20)) < 0.9);
  Dense zero{2};
  EXPECT_FALSE(residual(zero, {1, 0}, gmres(zero.product(), Vector{1, 0}, 1e-10, 20)) < 0.9);
}

TEST(Gmres, NeedsNoStepForAZeroRightHandSide) {
  Dense b{3};
  EXPECT_EQ(gmres(b.product(), Vector(3), 0, 5), Vector(3));
  Dense empty{0};
  EXPECT_EQ(gmres(empty.product(), Vector(), 0, 5), Vector());
  EXPECT_EQ(b.products + empty.products, 0);
}

}  // namespace
}  // namespace espalier::internal
