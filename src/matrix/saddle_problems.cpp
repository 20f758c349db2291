// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/column_writer.hpp"
#include "matrix/generators.hpp"

namespace espalier::internal {

namespace {

/// Axis that an edge of the grid is normal to. Velocities and fluxes of the edge have its
/// direction.
enum class Axis { x, y };

/// Unknowns in the cells of a grid of m x m cells. They are numbered behind those of the edges.
struct Cells {
  Index m;
  Index first;  ///< number of the first cell's unknown
  Index count;  ///< number of cells that have an unknown; the cells behind them have none

  /// Appends the difference between the cells on both sides of an edge: cell (x, y) minus the one
  /// before it along the axis. A cell outside the grid or without an unknown has no entry.
  void add_difference(ColumnWriter& columns, Axis axis, Index x, Index y) const {
    add(columns, axis == Axis::x ? x - 1 : x, axis == Axis::x ? y : y - 1, -1);
    add(columns, x, y, 1);
  }

  /// Appends the columns of the cells. Only their diagonal, which is zero, is in the lower
  /// triangle.
  void add_columns(ColumnWriter& columns) const {
    for (Index cell = 0; cell < count; ++cell) {
      columns.entry(columns.column(), 0);
      columns.end_column();
    }
  }

 private:
  void add(ColumnWriter& columns, Index x, Index y, double value) const {
    if (x < 0 || y < 0 || x >= m || y >= m) return;
    const Index cell = x * m + y;
    if (cell < count) columns.entry(first + cell, value);
  }
};

/// Appends the columns of the velocities along an axis, on the edges inside the unit square. The
/// velocity outside a wall is the negative of the one inside, so that their mean on the wall is
/// zero. This adds 1 to the diagonal of the velocities that flow along the wall beside them.
void add_velocities(ColumnWriter& columns, const Cells& cells, Axis axis) {
  const Index m = cells.m;
  const Index x_first = axis == Axis::x ? 1 : 0, y_first = axis == Axis::x ? 0 : 1;
  for (Index x = x_first; x < m; ++x) {
    for (Index y = y_first; y < m; ++y) {
      const Index velocity = columns.column();
      const Index across = axis == Axis::x ? y : x;
      const bool beside_wall = across == 0 || across + 1 == m;
      columns.entry(velocity, beside_wall ? 5 : 4);
      if (y + 1 < m) columns.entry(velocity + 1, -1);
      if (x + 1 < m) columns.entry(velocity + m - y_first, -1);
      cells.add_difference(columns, axis, x, y);
      columns.end_column();
    }
  }
}

/// Appends the columns of the fluxes along an axis, through all edges. In a cell, the field of a
/// flux decreases linearly to zero at the opposite edge. The integral of its square over the cell
/// is 1/3, and the integral of its product with the field of the opposite flux is 1/6.
void add_fluxes(ColumnWriter& columns, const Cells& cells, Axis axis) {
  const Index m = cells.m;
  const Index x_end = axis == Axis::x ? m + 1 : m, y_end = axis == Axis::x ? m : m + 1;
  for (Index x = 0; x < x_end; ++x) {
    for (Index y = 0; y < y_end; ++y) {
      const Index flux = columns.column();
      const Index along = axis == Axis::x ? x : y;
      const bool on_boundary = along == 0 || along == m;
      columns.entry(flux, (on_boundary ? 1 : 2) / 3.0);
      if (along < m) columns.entry(axis == Axis::x ? flux + m : flux + 1, 1 / 6.0);
      cells.add_difference(columns, axis, x, y);
      columns.end_column();
    }
  }
}

}  // namespace

SparseMatrix stokes2d(Index m) {
  const Index velocities = 2 * m * (m - 1);
  const Cells cells{m, velocities, m * m - 1};
  ColumnWriter columns(velocities + cells.count, 5 * static_cast<Count>(velocities) + cells.count);
  add_velocities(columns, cells, Axis::x);
  add_velocities(columns, cells, Axis::y);
  cells.add_columns(columns);
  return columns.finish();
}

SparseMatrix mixed2d(Index m) {
  const Index fluxes = 2 * m * (m + 1);
  const Cells cells{m, fluxes, m * m};
  ColumnWriter columns(fluxes + cells.count, 4 * static_cast<Count>(fluxes) + cells.count);
  add_fluxes(columns, cells, Axis::x);
  add_fluxes(columns, cells, Axis::y);
  cells.add_columns(columns);
  return columns.finish();
}

}  // namespace espalier::internal
