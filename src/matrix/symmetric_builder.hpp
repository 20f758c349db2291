// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "matrix/load.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Which off-diagonal entries of a symmetric matrix are given: each pair (i, j), (j, i) once, in
/// either triangle, or both of them.
enum class Storage { one_triangle, both_triangles };

/// Whether entries missing on the diagonal are an error, or are added with value 0.
enum class Diagonal { required, added };

/// The pattern of a matrix may lack its diagonal, as graphs do, because the analysis adds it.
inline Diagonal diagonal_of(Values values) {
  return values == Values::pattern_only ? Diagonal::added : Diagonal::required;
}

/// Entries that do not make a symmetric matrix with a full diagonal.
struct EntryDefect {
  enum class Kind {
    missing_diagonal,
    mirror_missing,
    mirror_differs,
    mirror_in_one_triangle,
    given_twice,
    sum_not_finite
  };

  Kind kind;
  Index row, column;             ///< 0-based
  double value = 0, mirror = 0;  ///< where these differ

  /// One clause, with indices counted from `first_index`.
  std::string describe(Index first_index) const;
};

/// Thrown by SymmetricBuilder; readers add file and line and count as the file does.
struct EntryError : InputError {
  explicit EntryError(const EntryDefect& defect) : InputError(defect.describe(0)), defect(defect) {}
  EntryDefect defect;
};

/// Makes the lower triangle of a symmetric matrix from its entries in any order.
///
/// Entries at the same place are summed in the order of their arrival. Of `both_triangles`, an
/// entry and its mirror may differ by 1e-10 of the larger one, or by what gets lost in rounding
/// beside their diagonal entries, 2^-52 sqrt|a_ii a_jj| (where the mirror may as well be missing);
/// they are then averaged. Of `one_triangle`, giving both is a defect: their sum is never meant.
///
/// Entries of one triangle that arrive column by column (row by row, if it is the upper one),
/// without an empty one, with ascending indices go straight to their place. All others are kept as
/// triplets (16 bytes an entry) and sorted at the end in O(n + entries), but for columns whose rows
/// do not ascend. A missing diagonal entry is found in memory for the entries, whatever n is.
class SymmetricBuilder {
 public:
  /// `expected_entries` sizes the arrays; more or fewer may come. Without values, only the pattern
  /// is built and an entry of `both_triangles` without its mirror is a defect.
  SymmetricBuilder(Index n, Storage storage, bool with_values, Count expected_entries);

  /// 0 <= row, column < n.
  void add(Index row, Index column, double value = 0) {
    if (in_place_ && append(row, column, value)) return;
    add_triplet(row, column, value);
  }

  /// Finishes the matrix and counts in `notes` what was summed, averaged and added. Throws
  /// EntryError, also with Diagonal::added if n is above a million and above 1000 times the number
  /// of entries: a small file must not take much memory.
  SparseMatrix finish(InputNotes& notes, Diagonal diagonal = Diagonal::required);

 private:
  enum class Triangle { unknown, lower, upper };

  bool append(Index row, Index column, double value) {
    if (row != column && !stays_in_triangle(row > column ? Triangle::lower : Triangle::upper)) {
      return false;
    }
    if (row < column) std::swap(row, column);
    auto& [n, column_begin, rows] = matrix_.pattern;
    const Index last_column = static_cast<Index>(column_begin.size()) - 1;
    if (column < last_column || column > last_column + 1 ||
        (column == last_column && !rows.empty() && row <= rows.back())) {
      return false;
    }
    if (column > last_column) column_begin.push_back(static_cast<Count>(rows.size()));
    rows.push_back(row);
    if (with_values_) matrix_.value.push_back(value);
    return true;
  }

  bool stays_in_triangle(Triangle triangle) {
    if (triangle_ == Triangle::unknown) triangle_ = triangle;
    return triangle_ == triangle;
  }

  void add_triplet(Index row, Index column, double value);
  void move_to_triplets();
  Index first_missing_diagonal() const;
  bool may_add_diagonal() const;
  void add_diagonal(InputNotes& notes);
  void sort_triplets_by_column();
  void merge_duplicates(InputNotes& notes);

  Storage storage_;
  bool with_values_;
  bool in_place_;
  Count expected_entries_;
  Triangle triangle_ = Triangle::unknown;

  /// The matrix; while in_place_ it is all finished columns and the one in progress, whose end
  /// column_begin lacks.
  SparseMatrix matrix_;

  /// Triplets of the lower triangle, unless in_place_; the row of an entry that was given in the
  /// upper triangle is stored as its complement ~row, which is negative.
  std::vector<Index> row_, column_;
  std::vector<double> value_;

  /// The diagonal of the matrix, where mirrors are to be compared.
  std::vector<double> diagonal_;
};

}  // namespace espalier::internal
