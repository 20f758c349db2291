// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "espalier/export.hpp"
#include "espalier/types.hpp"

/// \file
/// Comparison of both triangles of a matrix that is stored whole, for interfaces to other languages
/// and libraries.

namespace espalier {

/// An entry that differs from its mirror on the other side of the diagonal. Rows and columns count
/// from 0.
struct Asymmetry {
  /// Row of the entry.
  Index row;
  /// Column of the entry.
  Index column;
  /// Value of the entry.
  double value;
  /// Value of the mirror; empty if the mirror is not stored.
  std::optional<double> mirror;
};

/// Throws InputError. The message names the entry, with its row and column counted from `base`, and
/// ends with `advice`. If one of the values is not finite, the message says so instead.
ESPALIER_EXPORT void refuse_asymmetry(const Asymmetry& found, Index base, std::string_view advice);

}  // namespace espalier

namespace espalier::internal {

/// Returns whether an entry and its mirror are equal, or differ by less than 1e-10 of the larger
/// one. NaN agrees with nothing, and infinity with itself only.
inline bool mirrors_agree(double value, double mirror) {
  constexpr double tolerance = 1e-10;
  return value == mirror ||
         std::fabs(value - mirror) < tolerance * std::max(std::fabs(value), std::fabs(mirror));
}

/// Returns whether a number is at most the rounding error of the geometric mean of two diagonal
/// entries.
inline bool is_rounding_error(double number, double diagonal1, double diagonal2) {
  return std::fabs(number) <= std::numeric_limits<double>::epsilon() *
                                  std::sqrt(std::fabs(diagonal1)) * std::sqrt(std::fabs(diagonal2));
}

/// Returns the same difference with the rows and columns of the transposed matrix.
inline Asymmetry transposed(Asymmetry of) {
  if (of.mirror) {
    std::swap(of.value, *of.mirror);
  } else {
    std::swap(of.row, of.column);
  }
  return of;
}

/// Numbers of entries off the diagonal of a matrix, and the first entry that differs from its
/// mirror.
struct TriangleComparison {
  Count lower = 0;                        ///< number of entries below the diagonal
  Count upper = 0;                        ///< number of entries above the diagonal
  std::optional<Asymmetry> difference{};  ///< empty unless both triangles have entries
};

/// Compares the triangles of a matrix in compressed columns. The rows of each column ascend without
/// duplicates.
///
/// Arrays has these members: size(), the number of columns; begin(j) and end(j), the range of
/// positions of column j; row(k) and value(k), the row and the value at position k. For compressed
/// rows, the result belongs to the transposed matrix.
///
/// An entry and its mirror may differ by 1e-10 of the larger one, or by the rounding error of the
/// geometric mean of their diagonal entries. The readers of files use the same rule. Cost: one pass
/// over the entries, a binary search of the diagonal for each pair that differs, and 8 n bytes.
template <class Arrays>
class TriangleComparer {
 public:
  /// Keeps a reference to the arrays, which must outlive the object.
  explicit TriangleComparer(const Arrays& arrays) : a_(arrays) {}

  /// Compares all columns.
  TriangleComparison compare() {
    next_.resize(static_cast<std::size_t>(a_.size()));
    for (Count j = 0; j < a_.size(); ++j) take_column(j);
    if (result_.lower == 0 || result_.upper == 0) {
      result_.difference.reset();
      return result_;
    }
    for (Count j = 0; j < a_.size() && !result_.difference; ++j) expect_no_more(j);
    return result_;
  }

 private:
  /// Counts the entries of column j, and compares the entries above the diagonal with their
  /// mirrors. For each column, the calls of meet() search its mirrors in ascending order, so that
  /// one position per column is enough.
  void take_column(Count j) {
    Count k = a_.begin(j);
    const Count end = a_.end(j);
    for (; k < end && a_.row(k) < j; ++k) {
      ++result_.upper;
      if (!result_.difference && a_.row(k) >= 0) meet(k, a_.row(k), j);
    }
    if (k < end && a_.row(k) == j) ++k;
    result_.lower += end - k;
    next_[j] = k;
  }

  /// Compares entry k, in row i of column j, with its mirror in column i.
  void meet(Count k, Count i, Count j) {
    Count& next = next_[i];
    const Count end = a_.end(i);
    for (; next < end && a_.row(next) < j; ++next) lacks_mirror(next, i);
    if (next == end || a_.row(next) != j) return lacks_mirror(k, j);
    const double mirror = a_.value(next++);
    const double value = a_.value(k);
    if (mirrors_agree(value, mirror) ||
        is_rounding_error(value - mirror, diagonal(i), diagonal(j))) {
      return;
    }
    if (!result_.difference) result_.difference = {index(j), index(i), mirror, value};
  }

  void lacks_mirror(Count k, Count column) {
    const Count row = a_.row(k);
    if (result_.difference) return;
    if (row < a_.size() && is_rounding_error(a_.value(k), diagonal(row), diagonal(column))) return;
    result_.difference = {index(row), index(column), a_.value(k), std::nullopt};
  }

  /// Reports an entry of column j below the diagonal as different if no entry above the diagonal
  /// matches it.
  void expect_no_more(Count j) {
    for (Count k = next_[j]; k < a_.end(j); ++k) lacks_mirror(k, j);
  }

  double diagonal(Count j) const {
    Count first = a_.begin(j), last = a_.end(j);
    while (first < last) {
      const Count middle = first + (last - first) / 2;
      if (a_.row(middle) < j) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first < a_.end(j) && a_.row(first) == j ? a_.value(first) : 0;
  }

  static Index index(Count number) { return static_cast<Index>(number); }

  const Arrays& a_;
  std::vector<Count> next_;  ///< per column: first entry below the diagonal not compared yet
  TriangleComparison result_;
};

}  // namespace espalier::internal
