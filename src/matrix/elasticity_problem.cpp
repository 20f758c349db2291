// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "matrix/column_writer.hpp"
#include "matrix/generators.hpp"

namespace espalier::internal {

namespace {

constexpr int nodes = 8;  // nodes of an element; bit k of a node's number is its coordinate k
constexpr int freedoms = 3 * nodes;  // displacement p of node a is number 3 a + p

template <int rows, int columns>
using Dense = std::array<std::array<double, columns>, rows>;

int coordinate(int node, int axis) { return (node >> axis) & 1; }

/// Returns the matrix that maps strain (xx, yy, zz, xy, yz, zx) to stress, for an isotropic
/// material with E = 1 and nu = 0.3.
Dense<6, 6> stiffness_of_material() {
  const double young = 1, poisson = 0.3;
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const double mu = young / (2 * (1 + poisson));
  Dense<6, 6> d{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) d[i][j] = lambda;
    d[i][i] += 2 * mu;
    d[i + 3][i + 3] = mu;
  }
  return d;
}

/// Returns the matrix that maps the node displacements of a unit cube to the strain at a point of
/// [-1, 1]^3.
Dense<6, freedoms> strain_at(const std::array<double, 3>& point) {
  Dense<6, freedoms> b{};
  for (int a = 0; a < nodes; ++a) {
    std::array<double, 3> slope;
    for (int k = 0; k < 3; ++k) {
      slope[k] = coordinate(a, k) == 1 ? 0.25 : -0.25;
      for (int l = 0; l < 3; ++l) {
        if (l != k) slope[k] *= 1 + (coordinate(a, l) == 1 ? point[l] : -point[l]);
      }
    }
    const int x = 3 * a, y = x + 1, z = x + 2;
    b[0][x] = b[3][y] = b[5][z] = slope[0];
    b[1][y] = b[3][x] = b[4][z] = slope[1];
    b[2][z] = b[4][y] = b[5][x] = slope[2];
  }
  return b;
}

/// Returns the integral of B^T D B over a unit cube, by 2 x 2 x 2 Gauss points of weight 1/8.
Dense<freedoms, freedoms> stiffness_of_element() {
  const Dense<6, 6> d = stiffness_of_material();
  const double gauss = 1 / std::sqrt(3.0);
  Dense<freedoms, freedoms> stiffness{};
  for (int q = 0; q < nodes; ++q) {
    std::array<double, 3> point;
    for (int k = 0; k < 3; ++k) point[k] = coordinate(q, k) == 1 ? gauss : -gauss;
    const Dense<6, freedoms> b = strain_at(point);
    for (int i = 0; i < freedoms; ++i) {
      for (int j = 0; j < freedoms; ++j) {
        for (int k = 0; k < 6; ++k) {
          for (int l = 0; l < 6; ++l) stiffness[i][j] += b[k][i] * d[k][l] * b[l][j] / 8;
        }
      }
    }
  }
  return stiffness;
}

/// Whether elements exist around a node: along each axis, below the node and above it.
struct Surroundings {
  bool below[3], above[3];

  bool has_element(int octant) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (!(coordinate(octant, axis) == 1 ? above : below)[axis]) return false;
    }
    return true;
  }
  int number() const {
    int bits = 0;
    for (int axis = 0; axis < 3; ++axis) bits = 4 * bits + 2 * below[axis] + above[axis];
    return bits;
  }
};

/// Column of one displacement, with rows relative to the first row of the node, ascending. It is
/// the same for all nodes with the same surroundings.
using Column = std::vector<std::pair<Index, double>>;

class ColumnMaker {
 public:
  ColumnMaker(Index y_nodes, Index z_nodes)
      : row_stride_{3 * y_nodes * z_nodes, 3 * z_nodes, 3}, element_(stiffness_of_element()) {}

  const Column& column(const Surroundings& around, int displacement) {
    Column& column = made_[3 * around.number() + displacement];
    if (column.empty()) column = make(around, displacement);
    return column;
  }

 private:
  Column make(const Surroundings& around, int displacement) const {
    Column column;
    for (int x = 0; x < 2; ++x) {
      for (int y = 0; y < 2; ++y) {
        for (int z = 0; z < 2; ++z) {
          const int octant = x + 2 * y + 4 * z;
          if (around.has_element(octant)) add_element(octant, displacement, column);
        }
      }
    }
    return merged(std::move(column));
  }

  /// Adds the contribution of the element in this octant around the column's node. In the element,
  /// this node is the corner with the opposite octant's number.
  void add_element(int octant, int displacement, Column& column) const {
    const int own = nodes - 1 - octant;
    for (int a = 0; a < nodes; ++a) {
      Index first_row = 0;
      for (int axis = 0; axis < 3; ++axis) {
        first_row += (coordinate(a, axis) - coordinate(own, axis)) * row_stride_[axis];
      }
      for (int p = 0; p < 3; ++p) {
        if (first_row + p >= displacement) {
          column.emplace_back(first_row + p, element_[3 * a + p][3 * own + displacement]);
        }
      }
    }
  }

  /// std::sort() leaves the order of equal rows to the library, and thus the last bits of their
  /// sums. Published results for these problems depend on this order.
  static Column merged(Column column) {
    std::sort(column.begin(), column.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Column result;
    for (const auto& [row, value] : column) {
      if (!result.empty() && result.back().first == row) {
        result.back().second += value;
      } else {
        result.emplace_back(row, value);
      }
    }
    return result;
  }

  std::array<Index, 3> row_stride_;
  Dense<freedoms, freedoms> element_;
  std::array<Column, std::size_t{3} * 64> made_;
};

}  // namespace

SparseMatrix elasticity3d(Index x, Index y, Index z) {
  ColumnMaker maker(y + 1, z + 1);
  const Index n = 3 * x * (y + 1) * (z + 1);
  ColumnWriter columns(n, 42 * static_cast<Count>(n));
  Index first = 0;
  for (Index i = 1; i <= x; ++i) {
    for (Index j = 0; j <= y; ++j) {
      for (Index k = 0; k <= z; ++k, first += 3) {
        const Surroundings around{{true, j > 0, k > 0}, {i < x, j < y, k < z}};
        for (int displacement = 0; displacement < 3; ++displacement) {
          for (const auto& [row, value] : maker.column(around, displacement)) {
            columns.entry(first + row, value);
          }
          columns.end_column();
        }
      }
    }
  }
  return columns.finish();
}

}  // namespace espalier::internal
