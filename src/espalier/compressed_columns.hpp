// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <variant>

#include "espalier/types.hpp"

/// \file
/// The arrays of an application's matrix, for Matrix::borrow() and Matrix::copy().

namespace espalier {

/// Part of a symmetric matrix whose entries are in the arrays.
enum class Triangle {
  lower,  ///< Entries on and below the diagonal.
  upper,  ///< Entries on and above the diagonal.
  /// All entries. Each entry off the diagonal has a mirror on the other side of the diagonal. The
  /// values of both may differ by at most 1e-10 of the larger one; the value below the diagonal is
  /// used.
  full,
};

/// A symmetric n-by-n matrix in arrays of an application. The rows of column j are
/// row[column_begin[j] - base .. column_begin[j+1] - base), in any order, with one value each.
/// Compressed rows of one triangle are the same arrays as compressed columns of the other triangle.
struct CompressedColumns {
  /// Number of rows and of columns.
  Index n = 0;
  /// The n + 1 offsets of the columns, in 64 or 32 bits. The first offset is the base.
  std::variant<std::span<const Count>, std::span<const Index>> column_begin{};
  /// Rows of all entries, counted from the base.
  std::span<const Index> row{};
  /// Values of all entries; empty if only the pattern is given.
  std::span<const double> value{};
  /// Part of the matrix whose entries are in the arrays.
  Triangle triangle = Triangle::lower;
  /// Number of the first row, the first column and the first offset: 0 or 1.
  Index base = 0;
};

}  // namespace espalier
