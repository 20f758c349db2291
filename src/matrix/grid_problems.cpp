// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/grid_problems.hpp"

#include <cstdlib>
#include <vector>

namespace espalier {

namespace {

/// Appends columns to a matrix one entry after the other.
class ColumnWriter {
 public:
  ColumnWriter(Index n, Count entries) {
    matrix_.pattern.n = n;
    matrix_.pattern.column_begin.reserve(static_cast<std::size_t>(n) + 1);
    matrix_.pattern.row.reserve(entries);
    matrix_.value.reserve(entries);
  }
  void entry(Index row, double value) {
    matrix_.pattern.row.push_back(row);
    matrix_.value.push_back(value);
  }
  void end_column() {
    matrix_.pattern.column_begin.push_back(static_cast<Count>(matrix_.pattern.row.size()));
  }
  SparseMatrix finish() { return std::move(matrix_); }

 private:
  SparseMatrix matrix_;
};

struct Step {
  Index x, y, z;
};

/// Steps to the neighbours with a higher number, ascending, at most `reach` apart in the 1-norm.
std::vector<Step> forward_steps(Index reach) {
  std::vector<Step> steps;
  for (Index x = 0; x <= 1; ++x) {
    for (Index y = -1; y <= 1; ++y) {
      for (Index z = -1; z <= 1; ++z) {
        const bool forward = 9 * x + 3 * y + z > 0;
        if (forward && x + std::abs(y) + std::abs(z) <= reach) steps.push_back({x, y, z});
      }
    }
  }
  return steps;
}

SparseMatrix cube_stencil(Index m, Index reach, double diagonal) {
  const std::vector<Step> steps = forward_steps(reach);
  const Index n = m * m * m;
  ColumnWriter columns(n, static_cast<Count>(n) * static_cast<Count>(1 + steps.size()));
  const auto inside = [m](Index coordinate) { return coordinate >= 0 && coordinate < m; };
  Index point = 0;
  for (Index x = 0; x < m; ++x) {
    for (Index y = 0; y < m; ++y) {
      for (Index z = 0; z < m; ++z, ++point) {
        columns.entry(point, diagonal);
        for (const Step& s : steps) {
          if (inside(x + s.x) && inside(y + s.y) && inside(z + s.z)) {
            columns.entry(point + (s.x * m + s.y) * m + s.z, -1);
          }
        }
        columns.end_column();
      }
    }
  }
  return columns.finish();
}

}  // namespace

SparseMatrix laplace2d(Index m) {
  const Index n = m * m;
  ColumnWriter columns(n, 3 * static_cast<Count>(n));
  for (Index x = 0; x < m; ++x) {
    for (Index y = 0; y < m; ++y) {
      const Index point = x * m + y;
      const bool boundary = x == 0 || y == 0 || x + 1 == m || y + 1 == m;
      const int neighbours = (x > 0) + (y > 0) + (x + 1 < m) + (y + 1 < m);
      columns.entry(point, neighbours + boundary);
      if (y + 1 < m) columns.entry(point + 1, -1);
      if (x + 1 < m) columns.entry(point + m, -1);
      columns.end_column();
    }
  }
  return columns.finish();
}

SparseMatrix laplace3d(Index m) { return cube_stencil(m, 1, 6); }

SparseMatrix stencil27(Index m) { return cube_stencil(m, 3, 26); }

}  // namespace espalier
