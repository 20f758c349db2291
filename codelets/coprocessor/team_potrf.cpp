// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/team_potrf.hpp"

#include <algorithm>

namespace espalier::internal::coprocessor {

namespace {

constexpr Index panel_columns = 64;

/// A panel of columns, and the part of it that one member works on.
struct Panel {
  MatrixView triangle;
  ConstMatrixView left;       ///< the triangle's rows in the earlier columns
  MatrixView rows;            ///< the member's rows below the triangle
  ConstMatrixView rows_left;  ///< the same rows in the earlier columns
};

/// Returns the panel at column j. The rows of the triangle belong to the first member.
Panel panel_at(MatrixView a, Index j, Slice slice) {
  const Index width = std::min(panel_columns, a.columns - j);
  const RowRange own = rows_of_slice(slice, a.columns - j);
  const Index begin = std::max(own.begin, width);
  const Index count = std::max(own.end - begin, 0);
  const MatrixView columns = a.column_range(j, width);
  const MatrixView before = a.column_range(0, j);
  return {columns.row_range(j, width), before.row_range(j, width),
          columns.row_range(j + begin, count), before.row_range(j + begin, count)};
}

void subtract(const Kernels& kernels, ConstMatrixView a, ConstMatrixView b, bool lower,
              MatrixView c, std::span<double> buffer) {
  if (a.columns > 0 && a.rows > 0) kernels.update({a, b, lower, {c.data, c.ld}, buffer});
}

}  // namespace

PivotReport potrf(MatrixView a, const Member& member) {
  const Kernels& kernels = member.context.kernels;
  if (member.slice.size == 1) return kernels.potrf(a);
  ThreadTeam& team = *member.context.team;
  const std::span<double> buffer = member.buffer();
  for (Index j = 0; j < a.columns; j += panel_columns) {
    const Panel p = panel_at(a, j, member.slice);
    if (member.slice.rank == 0) {
      subtract(kernels, p.left, p.left, true, p.triangle, buffer);
      member.pivots = kernels.potrf(p.triangle).after(j);
    }
    subtract(kernels, p.rows_left, p.left, false, p.rows, buffer);
    team.wait_for_all();
    if (!member.pivots.ok()) break;
    if (p.rows.rows > 0) kernels.trsm(p.triangle, p.rows, buffer);
    team.wait_for_all();
  }
  return member.pivots;
}

}  // namespace espalier::internal::coprocessor
