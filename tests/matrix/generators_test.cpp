// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/generators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <vector>

#include "espalier/error.hpp"
#include "matrix/sparse_matrix.hpp"
#include "support/expect.hpp"
#include "support/inertia.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

using support::Inertia;
using support::inertia_of;

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

/// Eigenvalue of the one-dimensional Laplacian on m points with number i, from 1 to m.
double laplace_eigenvalue(Index m, Index i) {
  return 2 - 2 * std::cos(i * std::numbers::pi / (m + 1));
}

/// All triples (a, b, c) of numbers from 1 to m.
std::vector<std::array<Index, 3>> waves(Index m) {
  std::vector<std::array<Index, 3>> waves;
  for (Index p = 0; p < m * m * m; ++p) {
    waves.push_back({p / (m * m) + 1, p / m % m + 1, p % m + 1});
  }
  return waves;
}

double helmholtz_eigenvalue(Index m, const std::array<Index, 3>& wave) {
  double sum = -std::pow(2 * std::numbers::pi / 10, 2);
  for (const Index i : wave) sum += laplace_eigenvalue(m, i);
  return sum;
}

Index negative_eigenvalues(Index m) {
  return static_cast<Index>(std::ranges::count_if(
      waves(m), [m](const auto& wave) { return helmholtz_eigenvalue(m, wave) < 0; }));
}

TEST(Helmholtz3d, HasTheWavesOfTheCubeAsEigenvectors) {
  // The waves are orthogonal, so there are no other eigenvalues.
  for (const Index m : {1, 4, 9}) {
    const SparseMatrix a = helmholtz3d(m);
    EXPECT_NO_THROW(check(a));
    const auto points = waves(m);
    for (const auto& wave : points) {
      std::vector<double> x, y(a.pattern.n);
      for (const auto& point : points) {
        double value = 1;
        for (int axis = 0; axis < 3; ++axis) {
          value *= std::sin(wave[axis] * point[axis] * std::numbers::pi / (m + 1));
        }
        x.push_back(value);
      }
      multiply(a, x, y);
      for (double& value : x) value *= helmholtz_eigenvalue(m, wave);
      for (std::size_t p = 0; p < x.size(); ++p) ASSERT_NEAR(y[p], x[p], 1e-13);
    }
  }
}

TEST(Helmholtz3d, HasAKnownNumberOfNegativeEigenvalues) {
  for (const auto& [m, negative] :
       std::map<Index, Index>{{1, 0}, {7, 0}, {8, 1}, {12, 4}, {20, 23}}) {
    EXPECT_EQ(negative_eigenvalues(m), negative) << m;
  }
  for (const Index m : {2, 7, 8}) {
    const Index negative = negative_eigenvalues(m);
    EXPECT_EQ(inertia_of(helmholtz3d(m)), (Inertia{m * m * m - negative, negative, 0}));
  }
}

}  // namespace
namespace {

TEST(Irregular2d, RowsSumToTheShift) {
  for (const Index n : {1, 2, 7, 100, 3000}) {
    const SparseMatrix a = irregular2d(n);
    EXPECT_NO_THROW(check(a));
    const std::vector<double> ones(n, 1);
    std::vector<double> sums(n);
    multiply(a, ones, sums);
    for (const double sum : sums) EXPECT_NEAR(sum, 1e-3, 1e-11);
  }
}

TEST(Irregular2d, TiesEveryPointToItsNeighbours) {
  const Index n = 3000;
  const SparseMatrix a = irregular2d(n);
  std::vector<Index> degree(n, 0);
  for (Index j = 0; j < n; ++j) {
    for (Count k = a.pattern.column_begin[j] + 1; k < a.pattern.column_begin[j + 1]; ++k) {
      EXPECT_LT(a.value[k], 0);
      EXPECT_GE(a.value[k], -1000);
      ++degree[j];
      ++degree[a.pattern.row[k]];
    }
  }
  EXPECT_GE(*std::min_element(degree.begin(), degree.end()), 6);
  EXPECT_LT(a.pattern.entries(), 5 * Count{n});  // most neighbours are mutual
}

TEST(Irregular2d, OfFewPointsIsComplete) {
  for (const Index n : {2, 3, 7}) EXPECT_EQ(irregular2d(n).pattern.entries(), n * (n + 1) / 2);
}

TEST(Irregular2d, NumbersItsPointsInNoOrder) {
  const SparseMatrix a = irregular2d(3000);
  Count far = 0;
  for (Index j = 0; j < 3000; ++j) {
    for (const Index i : a.pattern.column(j)) far += i - j > 300;
  }
  EXPECT_GT(far, a.pattern.entries() / 2);
}

TEST(Irregular2d, IsTheSameEveryTime) { EXPECT_EQ(irregular2d(500).value, irregular2d(500).value); }

}  // namespace
namespace {

using Vector = std::vector<double>;

constexpr Index x_elements = 4, y_elements = 2, z_elements = 3;

/// Returns displacements by a function of node coordinates, for the nodes that are not clamped.
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

/// Returns the largest force on a node none of whose elements touches the clamped face.
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
  // Uniaxial stress: strain 1 along x and -0.3 across. Only nodes at the free end in x carry a
  // force.
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
namespace {

using support::expect_equal;
using support::expect_error;

TEST(Generators, SpecsNameTheProblems) {
  expect_equal(generate_matrix("laplace2d:5"), laplace2d(5));
  expect_equal(generate_matrix("laplace3d:4"), laplace3d(4));
  expect_equal(generate_matrix("stencil27:3"), stencil27(3));
  expect_equal(generate_matrix("elasticity3d:2x3x1"), elasticity3d(2, 3, 1));
  expect_equal(generate_matrix("elasticity3d:2"), elasticity3d(2, 2, 2));
  expect_equal(generate_matrix("irregular2d:40"), irregular2d(40));
  expect_equal(generate_matrix("stokes2d:6"), stokes2d(6));
  expect_equal(generate_matrix("mixed2d:5"), mixed2d(5));
  expect_equal(generate_matrix("helmholtz3d:4"), helmholtz3d(4));
}

TEST(Generators, HelpAndMessagesSayWhichMatricesAreIndefinite) {
  const std::string usage = generator_usage();
  const std::size_t indefinite = usage.find("; indefinite: stokes2d:M, mixed2d:M, helmholtz3d:M");
  ASSERT_NE(indefinite, std::string::npos) << usage;
  for (const std::string& name : generator_names()) {
    const SparseMatrix a = generate_matrix(name + (name == "helmholtz3d" ? ":8" : ":3"));
    const Index negative = inertia_of(a)[1];
    EXPECT_EQ(usage.find(name) > indefinite, negative > 0) << name;
  }
}

TEST(Generators, ASpecIsKnownByItsName) {
  for (const char* spec : {"laplace2d:5", "laplace2d:", "laplace2d", "irregular2d:x"}) {
    EXPECT_TRUE(is_generator_spec(spec)) << spec;
  }
  for (const std::string& name : generator_names()) EXPECT_TRUE(is_generator_spec(name)) << name;
  for (const char* file : {"", "laplace2d.mtx", "a:5", "laplace2", "./laplace2d:5", ":5"}) {
    EXPECT_FALSE(is_generator_spec(file)) << file;
  }
}

TEST(Generators, BadSpecsAreToldWhatIsExpected) {
  for (const char* spec : {"laplace2d", "laplace2d:", "laplace2d:0", "laplace2d:-3", "laplace2d:+3",
                           "laplace2d: 3", "laplace2d:3 ", "laplace2d:3x3", "laplace2d:3.5",
                           "laplace2d:46341", "laplace2d:99999999999999999999"}) {
    expect_error<UsageError>([&] { generate_matrix(spec); },
                             {spec, "laplace2d:M", "M from 1 to 46340"});
  }
  for (const char* spec :
       {"elasticity3d:", "elasticity3d:2x", "elasticity3d:2x2", "elasticity3d:2x2x",
        "elasticity3d:2x0x2", "elasticity3d:2x2x2x2", "elasticity3d:2X2X2", "elasticity3d:900",
        "elasticity3d:1x1x357913941", "elasticity3d:2000000000x2000000000x20"}) {
    expect_error<UsageError>([&] { generate_matrix(spec); },
                             {spec, "elasticity3d:XxYxZ", "below 2^31"});
  }
  expect_error<UsageError>([] { generate_matrix("laplace3d:1291"); }, {"1 to 1290"});
  expect_error<UsageError>([] { generate_matrix("stencil27:1291"); }, {"1 to 1290"});
  expect_error<UsageError>([] { generate_matrix("irregular2d:2147483648"); }, {"2147483647"});
  for (const char* spec : {"stokes2d:1", "stokes2d:26756", "stokes2d:2x2"}) {
    expect_error<UsageError>([&] { generate_matrix(spec); }, {spec, "M from 2 to 26755"});
  }
  for (const char* spec : {"mixed2d:0", "mixed2d:26755", "mixed2d:2147483647"}) {
    expect_error<UsageError>([&] { generate_matrix(spec); }, {spec, "M from 1 to 26754"});
  }
  expect_error<UsageError>([] { generate_matrix("helmholtz3d:1291"); }, {"1 to 1290"});
  expect_error<UsageError>([] { generate_matrix("poisson:3"); },
                           {"'poisson:3'", "laplace2d:M", "elasticity3d:XxYxZ", "stokes2d:M"});
}

}  // namespace
}  // namespace espalier::internal
