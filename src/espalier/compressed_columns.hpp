// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <variant>

#include "espalier/types.hpp"

/// \file
/// This header has what an application says of the arrays of its matrix: see Matrix::borrow() and
/// Matrix::copy().

namespace espalier {

/// The Triangle says which entries of a symmetric matrix are given.
enum class Triangle {
  lower,  ///< Those on and below the diagonal.
  upper,  ///< Those on and above the diagonal.
  /// All of them; every entry has a mirror at the other side of the diagonal. An entry and its
  /// mirror have the same value, to 1e-10 of the larger one; the one below the diagonal is used.
  full,
};

/// CompressedColumns are a symmetric n-by-n matrix in arrays of an application: the rows of column
/// j are row[column_begin[j] - base .. column_begin[j+1] - base), in any order, with one value
/// each. Compressed rows are the same arrays with the other triangle.
struct CompressedColumns {
  /// The matrix has this many rows and columns.
  Index n = 0;
  /// The n + 1 offsets of the columns, in 64 or 32 bits, begin with the base.
  std::variant<std::span<const Count>, std::span<const Index>> column_begin{};
  /// The rows of all entries count from the base.
  std::span<const Index> row{};
  /// The entries have these values; there are none where the pattern alone is given.
  std::span<const double> value{};
  /// These entries are given.
  Triangle triangle = Triangle::lower;
  /// Rows, columns and offsets count from 0 or from 1.
  Index base = 0;
};

}  // namespace espalier
