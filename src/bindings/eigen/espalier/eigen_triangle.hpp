// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "espalier/espalier.hpp"
#include "espalier/symmetry.hpp"

namespace espalier::internal {

/// One triangle of a symmetric matrix of Eigen, by columns or by rows. It converts the arrays of
/// Eigen to those of Espalier: the arrays of Eigen may have gaps, entries of the other triangle,
/// and other indices than 32 bits.
template <class SparseMatrix, int UpLo>
class EigenTriangle {
 public:
  /// Type of the row and column numbers.
  using Inner = typename SparseMatrix::StorageIndex;

  /// Keeps a reference to the matrix, which must outlive the object.
  explicit EigenTriangle(const SparseMatrix& a) : a_(a) {
    all_ = a.isCompressed();
    for (Eigen::Index j = 0; all_ && j < a.outerSize(); ++j) {
      // The numbers ascend, so it is enough to check the outermost entry.
      const Count outermost = triangle == Triangle::lower ? begin(j) : end(j) - 1;
      all_ = begin(j) == end(j) || has(a.innerIndexPtr()[outermost], j);
    }
  }

  /// The triangle, if the arrays are read as compressed columns.
  static constexpr Triangle triangle =
      ((UpLo & Eigen::Lower) != 0) != bool{SparseMatrix::IsRowMajor} ? Triangle::lower
                                                                     : Triangle::upper;

  /// Throws InputError if only the other triangle has entries off the diagonal, or if both
  /// triangles have entries and differ. Cost: one pass over the entries.
  void expect_symmetric() const {
    const TriangleComparison found = TriangleComparer(*this).compare();
    const bool is_lower = triangle == Triangle::lower;
    if ((is_lower ? found.lower : found.upper) == 0 && found.lower + found.upper > 0) {
      throw InputError(
          std::string("the solver reads the ") + (UpLo & Eigen::Lower ? "lower" : "upper") +
          " triangle, but only the other triangle has entries off the diagonal; choose " +
          (UpLo & Eigen::Lower ? "Eigen::Upper" : "Eigen::Lower"));
    }
    if (!found.difference) return;
    const bool by_rows = SparseMatrix::IsRowMajor;
    refuse_asymmetry(by_rows ? transposed(*found.difference) : *found.difference, 0,
                     "to read only one triangle, call setComparison(false)");
  }

  /// Returns the number of columns of the arrays. TriangleComparer calls this function and the next
  /// four.
  Count size() const { return a_.outerSize(); }
  /// Returns the position of the first entry of column j.
  Count begin(Count j) const { return a_.outerIndexPtr()[j]; }
  /// Returns the position after the last entry of column j.
  Count end(Count j) const {
    return a_.isCompressed() ? Count{a_.outerIndexPtr()[j + 1]}
                             : begin(j) + a_.innerNonZeroPtr()[j];
  }
  /// Returns the row of the entry at position k.
  Count row(Count k) const { return a_.innerIndexPtr()[k]; }
  /// Returns the value of the entry at position k.
  double value(Count k) const { return a_.valuePtr()[k]; }

  /// Returns the pattern. Uses the arrays of Eigen without a copy if `arrays_stay` is set and they
  /// have the form that Matrix::borrow() can use in place.
  Matrix pattern(bool arrays_stay) const {
    CompressedColumns arrays;
    arrays.n = static_cast<Index>(a_.rows());
    arrays.triangle = triangle;
    std::vector<Count> column_begin;
    std::vector<Index> row;
    if constexpr (std::is_same_v<Inner, Index>) {
      if (all_) {
        arrays.column_begin = std::span<const Index>(a_.outerIndexPtr(), a_.outerSize() + 1);
        arrays.row = std::span<const Index>(a_.innerIndexPtr(), a_.nonZeros());
        return arrays_stay ? Matrix::borrow(arrays) : Matrix::copy(arrays);
      }
    }
    column_begin.push_back(0);
    for (Eigen::Index j = 0; j < a_.outerSize(); ++j) {
      for (Count k = begin(j); k < end(j); ++k) {
        if (has(a_.innerIndexPtr()[k], j)) row.push_back(static_cast<Index>(a_.innerIndexPtr()[k]));
      }
      column_begin.push_back(static_cast<Count>(row.size()));
    }
    arrays.column_begin = std::span<const Count>(column_begin);
    arrays.row = row;
    return Matrix::copy(arrays);
  }

  /// Returns a matrix with this pattern and the values of Eigen's matrix. Replaces each diagonal
  /// entry d by offset + scale * d. Throws UsageError if the numbers of entries differ.
  Matrix with_values(const Matrix& pattern, bool arrays_stay, double offset, double scale) const {
    if (all_ && offset == 0 && scale == 1) {
      const std::span<const double> given(a_.valuePtr(), a_.nonZeros());
      expect_as_many(std::ssize(given), pattern.entries());
      return arrays_stay ? pattern.borrow_values(given) : pattern.with_values(given);
    }
    return pattern.with_values([&](std::span<double> value) {
      Count count = 0;
      for (Eigen::Index j = 0; j < a_.outerSize(); ++j) {
        for (Count k = begin(j); k < end(j); ++k) {
          const Inner i = a_.innerIndexPtr()[k];
          if (!has(i, j)) continue;
          const double entry = a_.valuePtr()[k];
          if (count < std::ssize(value)) value[count] = i == j ? offset + scale * entry : entry;
          ++count;
        }
      }
      expect_as_many(count, std::ssize(value));
    });
  }

 private:
  static void expect_as_many(Count entries, Count known) {
    if (entries == known) return;
    throw UsageError("the matrix has " + std::to_string(entries) +
                     " entries in its triangle, but the analyzed matrix had " +
                     std::to_string(known) + "; call analyzePattern() or compute() first");
  }

  static bool has(Eigen::Index inner, Eigen::Index outer) {
    return triangle == Triangle::lower ? inner >= outer : inner <= outer;
  }

  const SparseMatrix& a_;
  bool all_;  ///< the arrays hold exactly the entries of the triangle
};

}  // namespace espalier::internal
