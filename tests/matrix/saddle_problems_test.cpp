// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <vector>

#include "matrix/generators.hpp"
#include "matrix/sparse_matrix.hpp"
#include "support/inertia.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

using support::Inertia;
using support::inertia_of;

TEST(InertiaOf, MatricesWithKnownEigenvalues) {
  EXPECT_EQ(inertia_of(support::identity(3)), (Inertia{3, 0, 0}));
  EXPECT_EQ(inertia_of(support::from_entries(2, {{0, 0, 0}, {1, 1, 0}})), (Inertia{0, 0, 2}));
  EXPECT_EQ(inertia_of(support::from_entries(2, {{0, 0, 0}, {1, 0, 3}, {1, 1, 0}})),
            (Inertia{1, 1, 0}));
  // The eigenvalues of the tridiagonal matrix of order 5 are 2 - sqrt(3), 1, 2, 3, 2 + sqrt(3).
  const std::map<double, Inertia> by_shift{
      {0.5, {4, 1, 0}}, {1, {3, 1, 1}}, {2, {2, 2, 1}}, {3.5, {1, 4, 0}}, {4, {0, 5, 0}}};
  for (const auto& [shift, inertia] : by_shift) {
    SparseMatrix a = support::tridiagonal(5);
    for (Index j = 0; j < 5; ++j) a.value[a.pattern.column_begin[j]] -= shift;
    EXPECT_EQ(inertia_of(a), inertia) << shift;
  }
}

/// Place of an unknown in the grid, in halves of a cell. The unit square is [0, 2 m] x [0, 2 m].
struct Place {
  enum class Of { x_edge, y_edge, cell };
  Of of;
  Index x, y;

  bool is_cell() const { return of == Of::cell; }
  /// Position in the direction of an edge's unknown, and across this direction.
  Index along() const { return of == Of::x_edge ? x : y; }
  Index across() const { return of == Of::x_edge ? y : x; }
};

/// Returns the places of all unknowns. Lines of the grid from `first` to `last` have unknowns on
/// their edges.
std::vector<Place> places(Index m, Index first, Index last, Index cells) {
  std::vector<Place> places;
  for (Index x = first; x <= last; ++x) {
    for (Index y = 0; y < m; ++y) places.push_back({Place::Of::x_edge, 2 * x, 2 * y + 1});
  }
  for (Index x = 0; x < m; ++x) {
    for (Index y = first; y <= last; ++y) places.push_back({Place::Of::y_edge, 2 * x + 1, 2 * y});
  }
  for (Index cell = 0; cell < cells; ++cell) {
    places.push_back({Place::Of::cell, 2 * (cell / m) + 1, 2 * (cell % m) + 1});
  }
  return places;
}

/// Returns 1 if the cell is behind the edge in the direction of its unknown, -1 if it is before
/// the edge, and 0 if the edge does not belong to the cell.
double coupling(const Place& edge, const Place& cell) {
  const bool is_x = edge.of == Place::Of::x_edge;
  const Index along = (is_x ? cell.x : cell.y) - edge.along();
  const Index across = (is_x ? cell.y : cell.x) - edge.across();
  return across == 0 && std::abs(along) == 1 ? along : 0;
}

/// Returns all values by columns. value() gives those of two unknowns of edges in one direction.
template <typename Value>
std::vector<double> saddle_by_definition(const std::vector<Place>& places, Value&& value) {
  std::vector<double> dense;
  for (const Place& p : places) {
    for (const Place& q : places) {
      if (p.is_cell() != q.is_cell()) {
        dense.push_back(p.is_cell() ? coupling(q, p) : coupling(p, q));
      } else {
        dense.push_back(p.is_cell() || p.of != q.of ? 0 : value(p, q));
      }
    }
  }
  return dense;
}

TEST(Stokes2d, IsItsDefinition) {
  for (const Index m : {2, 3, 4, 7}) {
    const SparseMatrix a = stokes2d(m);
    EXPECT_NO_THROW(check(a));
    const auto value = [m](const Place& p, const Place& q) -> double {
      const Index distance = std::abs(p.x - q.x) + std::abs(p.y - q.y);
      const bool beside_wall = p.across() == 1 || p.across() == 2 * m - 1;
      return distance == 0 ? 4 + beside_wall : distance == 2 ? -1 : 0;
    };
    EXPECT_EQ(support::to_dense(a), saddle_by_definition(places(m, 1, m - 1, m * m - 1), value));
  }
}

TEST(Stokes2d, HasTheOrderAndPatternOfItsGrid) {
  for (const Index m : {2, 3, 20}) {
    const SparseMatrix a = stokes2d(m);
    EXPECT_EQ(a.pattern.n, 3 * m * m - 2 * m - 1);
    const Index pairs_of_velocities = 2 * (m * (m - 2) + (m - 1) * (m - 1));
    const Index differences = 2 * m * (m - 1);  // two pressures each; two lack the last pressure
    EXPECT_EQ(a.pattern.entries(), a.pattern.n + pairs_of_velocities + 2 * differences - 2);
  }
}

/// Returns A x for x by a function of the places.
template <typename Field>
std::vector<double> image(const SparseMatrix& a, const std::vector<Place>& places, Field&& field) {
  std::vector<double> x, y(places.size());
  for (const Place& place : places) x.push_back(field(place));
  multiply(a, x, y);
  return y;
}

TEST(Stokes2d, ALinearPressurePushesAllVelocitiesAlike) {
  const Index m = 5;
  const auto unknowns = places(m, 1, m - 1, m * m - 1);
  const auto forces = image(stokes2d(m), unknowns, [m](const Place& p) {
    return p.is_cell() ? (p.x - (2 * m - 1)) / 2 : 0;  // 0 in the last cell
  });
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    EXPECT_EQ(forces[i], unknowns[i].of == Place::Of::x_edge ? 1 : 0) << i;
  }
}

TEST(Stokes2d, AVortexNeitherGathersNorLosesFluid) {
  const Index m = 6;
  const auto unknowns = places(m, 1, m - 1, m * m - 1);
  const auto stream = [m](Index x, Index y) { return x * (2 * m - x) * y * (2 * m - y) * (x + 3); };
  const auto image_of_vortex = image(stokes2d(m), unknowns, [&](const Place& p) -> double {
    switch (p.of) {
      case Place::Of::x_edge: return stream(p.x, p.y + 1) - stream(p.x, p.y - 1);
      case Place::Of::y_edge: return stream(p.x - 1, p.y) - stream(p.x + 1, p.y);
      case Place::Of::cell: return 0;
    }
    return 0;
  });
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (!unknowns[i].is_cell()) continue;
    EXPECT_EQ(image_of_vortex[i], 0) << i;
  }
}

TEST(Stokes2d, HasAPositiveEigenvaluePerVelocityAndANegativeOnePerPressure) {
  for (const Index m : {2, 3, 4, 5, 7}) {
    EXPECT_EQ(inertia_of(stokes2d(m)), (Inertia{2 * m * (m - 1), m * m - 1, 0})) << m;
  }
}

TEST(Mixed2d, IsItsDefinition) {
  for (const Index m : {1, 2, 3, 6}) {
    const SparseMatrix a = mixed2d(m);
    EXPECT_NO_THROW(check(a));
    const auto value = [m](const Place& p, const Place& q) -> double {
      if (p.across() != q.across()) return 0;
      const Index distance = std::abs(p.along() - q.along());
      const int cells = (p.along() > 0) + (p.along() < 2 * m);
      return distance == 0 ? cells / 3.0 : distance == 2 ? 1 / 6.0 : 0;
    };
    EXPECT_EQ(support::to_dense(a), saddle_by_definition(places(m, 0, m, m * m), value));
  }
}

TEST(Mixed2d, HasTheOrderAndPatternOfItsGrid) {
  for (const Index m : {1, 2, 20}) {
    const SparseMatrix a = mixed2d(m);
    EXPECT_EQ(a.pattern.n, 3 * m * m + 2 * m);
    EXPECT_EQ(a.pattern.entries(), a.pattern.n + 2 * m * m + 4 * m * m);
  }
}

TEST(Mixed2d, ALinearPotentialHasAConstantFlux) {
  // The potential x has the flux -h along x through each edge, h = 1/m. The equation of an edge on
  // the boundary lacks the potential there.
  const Index m = 5;
  const auto unknowns = places(m, 0, m, m * m);
  const auto potential = [m](const Place& p) { return p.x / (2.0 * m); };
  const auto residual = image(mixed2d(m), unknowns, [&](const Place& p) {
    return p.is_cell() ? potential(p) : p.of == Place::Of::x_edge ? -1.0 / m : 0;
  });
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const Place& p = unknowns[i];
    const int side = (p.along() == 0) - (p.along() == 2 * m);
    EXPECT_NEAR(residual[i], side * potential(p), 1e-15) << i;
  }
}

TEST(Mixed2d, HasAPositiveEigenvaluePerFluxAndANegativeOnePerPotential) {
  for (const Index m : {1, 2, 3, 4, 7}) {
    EXPECT_EQ(inertia_of(mixed2d(m)), (Inertia{2 * m * (m + 1), m * m, 0})) << m;
  }
}

}  // namespace
}  // namespace espalier::internal
