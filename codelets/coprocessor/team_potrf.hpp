// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/coprocessor/tasks.hpp"

namespace espalier::internal::coprocessor {

/// One of the threads that do a task together.
struct Member {
  const DeviceContext& context;
  Slice slice;          ///< which one, of how many
  PivotReport& pivots;  ///< of a D, one for all of them

  std::span<double> buffer() const {
    const auto entries = static_cast<std::size_t>(update_buffer_entries);
    return context.buffer.subspan(static_cast<std::size_t>(slice.rank) * entries, entries);
  }
  MatrixView share_of(MatrixView rows) const {
    const RowRange own = rows_of_slice(slice, rows.rows);
    return rows.row_range(own.begin, own.end - own.begin);
  }
};

/// A := L with A = L Lᵀ, by all members together, each of which gets the report. A pivot fails if
/// it is not positive; A is then unspecified. Several members work by panels of columns: the first
/// one on its triangle while the others subtract from the rows below, then all of them solve with
/// it. Cost n³/3 operations, of which the triangles are not divided, and two barriers a panel.
PivotReport potrf(MatrixView a, const Member& member);

}  // namespace espalier::internal::coprocessor
