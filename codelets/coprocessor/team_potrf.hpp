// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/coprocessor/tasks.hpp"

namespace espalier::internal::coprocessor {

/// One of the threads that run a task together.
struct Member {
  const DeviceContext& context;
  Slice slice;          ///< number of the member and of all members
  PivotReport& pivots;  ///< report of a D, shared by all members

  std::span<double> buffer() const {
    const auto entries = static_cast<std::size_t>(update_buffer_entries);
    return context.buffer.subspan(static_cast<std::size_t>(slice.rank) * entries, entries);
  }
  MatrixView share_of(MatrixView rows) const {
    const RowRange own = rows_of_slice(slice, rows.rows);
    return rows.row_range(own.begin, own.end - own.begin);
  }
};

/// A := L with A = L Lᵀ, computed by all members together. Each member gets the report. A pivot
/// check fails if the pivot is not positive; A is then unspecified.
///
/// If there are several members, they work by panels of columns. The first member updates and
/// factors the triangle of the panel, while the others update the rows below it. Then all of them
/// solve with the triangle. Cost: n³/3 operations, and two barriers per panel.
PivotReport potrf(MatrixView a, const Member& member);

}  // namespace espalier::internal::coprocessor
