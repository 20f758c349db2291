// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/common/stored_triangle.hpp"
#include "bindings/python/runtime.hpp"
#include "espalier/bindings.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

/// Returns the options of texts "name=value". Throws as Options::set() does.
Options read_options(const std::vector<std::string>& options);

/// The object behind a CholeskyFactor of Python: the analysis of a pattern and, from the first
/// factorization on, its factor. Several threads may use it; a call waits until earlier calls have
/// ended. Callers must not hold Python's lock. In a process that was forked after StarPU started,
/// each function except analysis() and summary() throws RuntimeFailure, and the memory of the
/// factor is not freed.
class PythonFactor {
 public:
  /// Analyzes a triangle in compressed columns. Throws as Matrix::borrow(), Analysis and
  /// read_options() do.
  ///
  /// \param begin Offsets of the columns.
  /// \param row Row of each entry.
  /// \param value Value of each entry for AnalysisOptions::matching, or empty.
  /// \param upper Whether the triangle is the upper one.
  /// \param owner Object that keeps the arrays alive and unchanged.
  /// \param options Texts for read_options().
  /// \param keep_order Whether columns are only reordered into a postorder of the elimination tree.
  /// \param previous Factor whose order is reused, or null.
  /// \param previous_column Previous number of each column, or empty; see Analysis.
  PythonFactor(std::span<const Count> begin, std::span<const Index> row,
               std::span<const double> value, bool upper, std::shared_ptr<const void> owner,
               const std::vector<std::string>& options, bool keep_order,
               const PythonFactor* previous, std::span<const Index> previous_column);
  ~PythonFactor();
  PythonFactor(const PythonFactor&) = delete;
  PythonFactor& operator=(const PythonFactor&) = delete;

  /// Makes the memory and the tasks of the factor unless they exist. Returns the predicted time of
  /// a factorization, in seconds. Throws as the constructor of Factor does.
  double prepare();
  /// Returns the matrix with the values of a triangle, which are copied. Returns nothing if the
  /// triangle has other entries than the pattern.
  template <class Offset, class Number>
  std::optional<Matrix> matrix_of(const StoredTriangle<Offset, Number>& triangle,
                                  std::span<const double> value) const {
    return with_values_of(triangle, value, pattern_, begin_, row_);
  }
  /// Returns the matrix with a copy of these values, in the order of the arrays. Throws as
  /// Matrix::with_values() does.
  Matrix matrix_of(std::span<const double> values) const { return pattern_.with_values(values); }
  /// Sets the signs of the pivots for Factorization::ldlt. Throws as Factor::set_signs() does if
  /// the factor exists. Otherwise the next call that makes the factor throws.
  void set_signs(std::vector<signed char>&& signs);
  /// Factors a result of matrix_of(). Returns -1, or the column of FactorStatus::bad_column or of
  /// Factor::singular_column(). Throws as prepare() and Factor::factorize() do.
  Index factorize(const Matrix& matrix);
  /// Returns the values of the last factored matrix, in the order of the arrays. Throws UsageError
  /// before a factorization.
  std::vector<double> values();
  /// Solves A x = b for vectors that are stored one after another. Returns the largest backward
  /// error. Throws as Factor::solve() does.
  double solve(std::span<const double> b, std::span<double> x);
  /// Applies one step of a solve. Throws as Factor::solve_part() does.
  void solve_part(System system, std::span<const double> b, std::span<double> x);

  /// Returns the diagonal of L, in the numbering of L. Throws UsageError before a factorization.
  std::vector<double> diagonal();
  /// Returns L. Throws as diagonal() does.
  LowerFactor lower(ExplicitZeros zeros);
  /// Returns the inertia of A. Throws as diagonal() does.
  Inertia inertia();
  /// Returns the growth of the factorization. Throws as diagonal() does.
  double growth();
  /// Returns the columns of A whose pivots were replaced. Throws as diagonal() does.
  std::vector<Index> replaced_pivots();
  /// Returns the determinant of A. Throws as diagonal() does.
  Determinant determinant();
  /// Returns the report as JSON. Before the first factorization, the call plans a factorization to
  /// predict its time.
  std::string report();
  /// Returns the result of report(). In a forked process, returns only the part that does not need
  /// StarPU.
  std::string summary();
  /// Returns the page that to_html() makes of the report and of the last factorization.
  std::string page();
  /// Returns the structure of L, which never changes.
  const Analysis& analysis() const { return analysis_; }

 private:
  /// Returns the factor; makes it first if it does not exist. The caller holds the mutex. Throws as
  /// the constructor of Factor does.
  Factor& prepared_factor();
  /// Returns the factor. Throws UsageError if it does not exist.
  Factor& made_factor();

  Options options_;
  std::shared_ptr<const void> arrays_owner_;
  std::span<const Count> begin_;
  std::span<const Index> row_;
  bool upper_;
  Matrix pattern_;
  Analysis analysis_;
  std::optional<std::vector<signed char>> signs_;  ///< in the order of the rows
  std::mutex mutex_;
  std::optional<Matrix> matrix_;  ///< the last factored matrix
  std::unique_ptr<RuntimeUse> runtime_;
  std::unique_ptr<Factor> factor_;
};

}  // namespace espalier::internal
