// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/elasticity_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "matrix/norms.hpp"
#include "support/matrices.hpp"

namespace espalier {
namespace {

using Vector = std::vector<double>;

constexpr Index x_elements = 4, y_elements = 2, z_elements = 3;

/// Displacements by a function of node coordinates, for the nodes that are not clamped.
template <typename Field>
Vector displace(Field&& field) {
  Vector u;
  for (Index x = 1; x <= x_elements; ++x) {
    for (Index y = 0; y <= y_elements; ++y) {
      for (Index z = 0; z <= z_elements; ++z) {
        for (const double value : field(x, y, z)) u.push_back(value);
      }
    }
  }
  return u;
}

/// The largest force on nodes whose elements all are free of the clamped face.
double largest_free_force(const Vector& u) {
  const SparseMatrix a = elasticity3d(x_elements, y_elements, z_elements);
  Vector force(u.size());
  multiply(a, u, force);
  const std::size_t beside_clamp = 3 * (y_elements + 1) * (z_elements + 1);
  return max_abs(std::span<const double>(force).subspan(beside_clamp));
}

TEST(Elasticity3d, HasTheOrderAndPatternOfItsMesh) {
  const SparseMatrix a = elasticity3d(x_elements, y_elements, z_elements);

  EXPECT_NO_THROW(check(a));
  EXPECT_EQ(a.pattern.n, 3 * 4 * 3 * 4);
  EXPECT_EQ(elasticity3d(1, 1, 1).pattern.n, 12);
  EXPECT_EQ(elasticity3d(1, 1, 1).pattern.entries(), 12 * 13 / 2);
  const SparseMatrix b = elasticity3d(2, 2, 2);  // 27 - 9 nodes; 49 + 42 pairs share an element
  EXPECT_EQ(b.pattern.n, 54);
  EXPECT_EQ(2 * b.pattern.entries() - 54, 9 * (2 * (7 * 7) + 2 * (7 * 7)));
}

TEST(Elasticity3d, RigidMotionsNeedNoForceAwayFromTheClamp) {
  using Displacement = std::array<double, 3>;
  const Vector motions[] = {
      displace([](double, double, double) {
        return Displacement{1, 0, 0};
      }),
      displace([](double, double, double) {
        return Displacement{0, 1, 0};
      }),
      displace([](double, double, double) {
        return Displacement{0, 0, 1};
      }),
      displace([](double x, double y, double) {
        return Displacement{-y, x, 0};
      }),
      displace([](double, double y, double z) {
        return Displacement{0, -z, y};
      }),
      displace([](double x, double, double z) {
        return Displacement{z, 0, -x};
      }),
  };
  for (const Vector& motion : motions) EXPECT_LT(largest_free_force(motion), 1e-14);
}

TEST(Elasticity3d, StretchingNeedsForcesAtTheSurfaceOnly) {
  // Uniaxial stress: strain 1 along x and -0.3 across. Nodes off the free end, in x, carry none.
  const Vector stretch = displace([](double x, double y, double z) {
    return std::array<double, 3>{x, -0.3 * y, -0.3 * z};
  });
  const SparseMatrix a = elasticity3d(x_elements, y_elements, z_elements);
  Vector force(stretch.size());
  multiply(a, stretch, force);

  const std::size_t plane = 3 * (y_elements + 1) * (z_elements + 1);
  double total = 0;
  for (std::size_t k = plane; k < 3 * plane; ++k) EXPECT_NEAR(force[k], 0, 1e-14);
  for (std::size_t k = 3 * plane; k < 4 * plane; k += 3) total += force[k];
  EXPECT_NEAR(total, y_elements * z_elements, 1e-13);  // Young's modulus 1 times the area
}

TEST(Elasticity3d, IsTheSameInEveryDirectionAcross) {
  const SparseMatrix a = elasticity3d(2, 1, 3), b = elasticity3d(2, 3, 1);
  EXPECT_NEAR(norm_inf(a), norm_inf(b), 1e-14);
  EXPECT_EQ(a.pattern.entries(), b.pattern.entries());
}

}  // namespace
}  // namespace espalier
