// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/cuda/lane.hpp"
#include "codelets/product.hpp"

namespace espalier::cuda {

/// All products of an A by its message. A thread owns one row and a few columns of the target, adds
/// up what all products have for these, in the order of the message, and writes them once: the
/// result is the same on every run.
struct Assembly {
  const Index* message = nullptr;
  Index words = 0;
  const double* source = nullptr;  ///< the values of the group
  double* target = nullptr;
  Count ld = 0;
  Index rows = 0;
  Index columns = 0;

  static constexpr Index columns_of_thread = 4;

  constexpr Index stripes() const { return rounded_up_quotient(columns, columns_of_thread); }
  constexpr Index blocks() const { return stripes() * rounded_up_quotient(rows, threads_of_block); }

  constexpr void run(Lane lane) const {
    const Index row = lane.block / stripes() * threads_of_block + lane.thread;
    if (row >= rows) return;
    Sums sums{lane.block % stripes() * columns_of_thread};
    MessageReader reader({message, static_cast<std::size_t>(words)});
    const Index products = reader.number();
    for (Index p = 0; p < products; ++p) {
      const Index begin = reader.number();
      const Index height = reader.number();
      const Index width = reader.number();
      sums.add(Product::read(reader), {source + begin, height, width, height}, row);
    }
    for (Index c = 0; c < columns_of_thread && sums.first + c < columns; ++c) {
      target[row + (sums.first + c) * ld] -= sums.of[c];
    }
  }

 private:
  struct Sums {
    Index first;  ///< column of the target
    double of[columns_of_thread]{};

    /// What this product of a panel with itself has for the row and the columns.
    constexpr void add(const Product& p, ConstMatrixView panel, Index row) {
      const Index i =
          position_in(p.row.data(), static_cast<Index>(p.row.size()), p.rows, row - p.target_row);
      if (i < 0) return;
      for (Index c = 0; c < columns_of_thread; ++c) {
        const Index j = position_in(p.column.data(), static_cast<Index>(p.column.size()), p.columns,
                                    first + c - p.target_column);
        if (j < 0 || i < j - p.whole) continue;
        const double* left = panel.data + p.left_row + i;
        const double* right = panel.data + p.right_row + j;
        for (Index k = 0; k < panel.columns; ++k) of[c] += left[k * panel.ld] * right[k * panel.ld];
      }
    }
  };
};

}  // namespace espalier::cuda
