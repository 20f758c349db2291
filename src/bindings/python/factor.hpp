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

/// Returns what options "name=value" ask for. Throws as Options::set() does.
Options read_options(const std::vector<std::string>& options);

/// A PythonFactor is what a CholeskyFactor of Python stands on: the analysis of a pattern, and from
/// the first factorization on its factor. It may be used from several threads, one after another:
/// each call waits for those before. All functions are called without Python's lock. In a process
/// that was forked after StarPU started, each function except analyze() and summary() throws
/// RuntimeFailure, and the factor's memory is not freed.
class PythonFactor {
 public:
  /// Analyzes the pattern of a triangle by compressed columns, whose arrays stay as they are until
  /// their owner goes with this. Where a natural ordering is kept, columns go into a postorder of
  /// its elimination tree alone. Throws as Matrix::borrow(), Analysis and read_options() do.
  PythonFactor(std::span<const Count> begin, std::span<const Index> row, bool upper,
               std::shared_ptr<const void> owner, const std::vector<std::string>& options,
               bool keep_order);
  ~PythonFactor();
  PythonFactor(const PythonFactor&) = delete;
  PythonFactor& operator=(const PythonFactor&) = delete;

  /// Makes the factor's memory and tasks, unless there are any, and returns the seconds that a
  /// factorization is predicted to take. Throws as Factor does.
  double prepare();
  /// Returns the matrix with the values of such a triangle, which are copied, or nothing where that
  /// has other entries than the pattern.
  template <class Offset, class Number>
  std::optional<Matrix> matrix_of(const StoredTriangle<Offset, Number>& triangle,
                                  std::span<const double> value) const {
    return with_values_of(triangle, value, pattern_, begin_, row_);
  }
  /// Returns the matrix with these values, in the order of the arrays, which are copied. Throws as
  /// Matrix::with_values() does.
  Matrix matrix_of(std::span<const double> values) const { return pattern_.with_values(values); }
  /// Factors one of these matrices, and returns -1 or the column that shows that it is not positive
  /// definite. Throws as Factor and Factor::factorize() do.
  Index factorize(const Matrix& matrix);
  /// Returns the values of the matrix that was factored last, in the order of the arrays. Throws
  /// UsageError before a factorization.
  std::vector<double> values();
  /// Solves A x = b for vectors one after another and returns the worst backward error. Throws as
  /// Factor::solve() does.
  double solve(std::span<const double> b, std::span<double> x);
  /// Does a step of that. Throws as Factor::solve_part() does.
  void solve_part(System system, std::span<const double> b, std::span<double> x);

  /// Returns the diagonal of L, in its numbering. Throws UsageError before a factorization.
  std::vector<double> diagonal();
  /// Returns L. Throws as diagonal() does.
  LowerFactor lower(ExplicitZeros zeros);
  /// Returns the determinant of A. Throws as diagonal() does.
  Determinant determinant();
  /// Returns everything that is known, as JSON; before the first factorization its plan is made for
  /// this alone.
  std::string report();
  /// Returns the same as report(); in a forked process only the part that needs no StarPU.
  std::string summary();
  /// Returns the page of the last factorization and what else is known, as to_html() makes it.
  std::string page();
  /// Returns the structure of L, which never changes.
  const Analysis& analysis() const { return analysis_; }

 private:
  /// Makes the factor where there is none, with the mutex held. Throws as Factor does.
  Factor& prepared_factor();
  /// Returns the factor. Throws UsageError where there is none.
  Factor& made_factor();

  Options options_;
  std::shared_ptr<const void> arrays_owner_;
  std::span<const Count> begin_;
  std::span<const Index> row_;
  bool upper_;
  Matrix pattern_;
  Analysis analysis_;
  std::mutex mutex_;
  std::optional<Matrix> matrix_;  ///< that was factored last
  std::unique_ptr<RuntimeUse> runtime_;
  std::unique_ptr<Factor> factor_;
};

}  // namespace espalier::internal
