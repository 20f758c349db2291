// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/kernels.hpp"
#include "codelets/message_words.hpp"

namespace espalier {

/// Targets of one U: with its sources, one piece of data or two, as many pieces as a task for
/// accelerators may have.
inline constexpr Index most_targets = 6;

/// One product of an update, by positions in the data of its task:
/// target(row i, column j) -= left(left_row + i, :) · right(right_row + j, :) for all rows i and
/// columns j < whole, and for the lower trapezoid of the columns after these.
struct Product {
  Index rows = 0;
  Index columns = 0;
  Index left_row = 0;
  Index right_row = 0;
  Index whole = 0;
  Index target_row = 0;             ///< of row 0
  Index target_column = 0;          ///< of column 0
  std::span<const Index> row{};     ///< of each row, after target_row; empty: consecutive
  std::span<const Index> column{};  ///< of each column, after target_column

  void write(MessageWriter& message) const;
  /// The lists stay in the message.
  static constexpr Product read(MessageReader& message) {
    return {message.number(), message.number(), message.number(),
            message.number(), message.number(), message.number(),
            message.number(), message.list(),   message.list()};
  }

  void subtract(const Kernels& kernels, ConstMatrixView left, ConstMatrixView right,
                MatrixView target, std::span<double> buffer) const;
};

}  // namespace espalier
