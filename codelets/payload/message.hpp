// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

namespace espalier {

/// What an accelerator has to know of a task beside its data: numbers and lists of positions inside
/// these. The accelerator sees neither L's structure nor the host's memory.
class MessageWriter {
 public:
  void number(Index value) { words_.push_back(value); }
  void list(std::span<const Index> values) {
    number(static_cast<Index>(values.size()));
    words_.insert(words_.end(), values.begin(), values.end());
  }
  void append(const MessageWriter& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
  }
  std::span<const Index> words() const { return words_; }

 private:
  std::vector<Index> words_;
};

/// Reads what was written, in the same order; on devices, too.
class MessageReader {
 public:
  constexpr explicit MessageReader(std::span<const Index> words) : words_(words) {}

  constexpr Index number() {
    const Index value = words_.front();
    words_ = words_.subspan(1);
    return value;
  }
  constexpr std::span<const Index> list() {
    const auto count = static_cast<std::size_t>(number());
    const auto values = words_.first(count);
    words_ = words_.subspan(count);
    return values;
  }

 private:
  std::span<const Index> words_;
};

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
