// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/payload/message.hpp"

#include "codelets/relative_indices.hpp"

namespace espalier {

void Product::write(MessageWriter& message) const {
  for (const Index number :
       {rows, columns, left_row, right_row, whole, target_row, target_column}) {
    message.number(number);
  }
  message.list(row);
  message.list(column);
}

void Product::subtract(const Kernels& kernels, ConstMatrixView left, ConstMatrixView right,
                       MatrixView target, std::span<double> buffer) const {
  const ScatterTarget place{&target(target_row, target_column), target.ld,
                            row.empty() ? nullptr : row.data(),
                            column.empty() ? nullptr : column.data()};
  update_rows(kernels, left.row_range(left_row, rows), right.row_range(right_row, columns), whole,
              place, buffer);
}

}  // namespace espalier
