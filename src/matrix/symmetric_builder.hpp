// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "matrix/load.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Which off-diagonal entries of a symmetric matrix are given: one of each pair (i, j), (j, i), in
/// either triangle, or both.
enum class Storage { one_triangle, both_triangles };

/// Whether missing diagonal entries are an error, or are added with value 0.
enum class Diagonal { required, added };

/// Returns the rule for the diagonal. A pattern may lack its diagonal, as graphs do, because the
/// analysis adds it. An indefinite matrix may have zeros there.
inline Diagonal diagonal_of(Values values) {
  return values == Values::required ? Diagonal::required : Diagonal::added;
}

/// Defect of entries that do not form a symmetric matrix with a full diagonal.
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
  double value = 0, mirror = 0;  ///< the differing values, for mirror_differs

  /// Returns the description as one clause, with indices counted from `first_index`.
  std::string describe(Index first_index) const;
};

/// Exception of SymmetricBuilder. Readers add file and line, and count indices as the file does.
struct EntryError : InputError {
  explicit EntryError(const EntryDefect& defect) : InputError(defect.describe(0)), defect(defect) {}
  EntryDefect defect;
};

/// Builds the lower triangle of a symmetric matrix from its entries in any order.
///
/// Entries at the same position are summed in the order of their arrival. With `both_triangles`, an
/// entry and its mirror are averaged if they differ by at most 1e-10 of the larger one, or by at
/// most a rounding error of their diagonal entries, 2^-52 sqrt|a_ii a_jj|. An entry of at most this
/// rounding error may also lack its mirror. With `one_triangle`, an entry together with its mirror
/// is a defect.
///
/// With `one_triangle`, entries that arrive sorted go straight to their final position. Sorted
/// means: all in the same triangle, column by column (row by row in the upper triangle), no empty
/// column, and ascending indices. Otherwise all entries are stored as triplets (16 bytes per entry)
/// and sorted at the end. This takes O(n + entries), except for columns with rows that do not
/// ascend. A missing diagonal entry is found with memory in proportion to the entries, whatever n
/// is.
class SymmetricBuilder {
 public:
  /// `expected_entries` is the size for which arrays are reserved; more or fewer entries may come.
  /// Without values, only the pattern is built, and an entry without its mirror is a defect with
  /// `both_triangles`.
  SymmetricBuilder(Index n, Storage storage, bool with_values, Count expected_entries);

  /// Adds an entry. 0 <= row, column < n.
  void add(Index row, Index column, double value = 0) {
    if (in_place_ && append(row, column, value)) return;
    add_triplet(row, column, value);
  }

  /// Finishes the matrix, and counts summed, averaged and added entries in `notes`. Throws
  /// EntryError for a defect. A missing diagonal entry is a defect even with Diagonal::added if n
  /// is above a million and above 1000 times the number of entries, so that a small file cannot use
  /// much memory.
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

  /// The matrix. While in_place_ it has all finished columns and the current one, whose end is not
  /// yet in column_begin.
  SparseMatrix matrix_;

  /// Triplets of the lower triangle, unless in_place_. An entry that was given in the upper
  /// triangle has the complement ~row, which is negative.
  std::vector<Index> row_, column_;
  std::vector<double> value_;

  /// Diagonal of the matrix, if mirrors must be compared.
  std::vector<double> diagonal_;
};

}  // namespace espalier::internal
