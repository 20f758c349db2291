// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "espalier/bindings.hpp"
#include "espalier/symmetry.hpp"

/// \file
/// A sparse solver for Eigen that uses Espalier.

namespace espalier {

template <class MatrixType_, int UpLo_ = Eigen::Lower>
class EspalierLLT;

}  // namespace espalier

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

namespace espalier {

// NOLINTBEGIN(readability-identifier-naming): names in the style of Eigen
/// A solver for a sparse, symmetric positive definite matrix A, with the interface of Eigen's
/// sparse solvers. A is an Eigen::SparseMatrix of double in any storage order and with any index
/// type. The solver reads the triangle UpLo of A.
///
/// compute() calls analyzePattern() and factorize(). For new values on the same pattern, call only
/// factorize(), which reuses the memory.
///
/// info() returns the result of the last call, and lastErrorMessage() explains a failure:
///
/// - Eigen::NumericalIssue: the matrix is not positive definite, lacks a diagonal entry or has a
///   value that is not finite; or the right-hand side has such a value; or the backward error of
///   the solution is above 1e-10.
/// - Eigen::InvalidInput: an option is out of range, or the matrix is not square or has another
///   pattern than the analyzed one.
///
/// Other failures are exceptions: MemoryError, RuntimeFailure, UnknownScheduler and std::bad_alloc.
///
/// All solvers of a process share one StarPU; see Runtime::shared(). Several threads may use
/// different solvers at the same time, but only one thread at a time may use one solver.
template <class MatrixType_, int UpLo_>
class EspalierLLT : public Eigen::SparseSolverBase<EspalierLLT<MatrixType_, UpLo_>> {
  using Base = Eigen::SparseSolverBase<EspalierLLT>;

 public:
  /// Type of the matrix.
  using MatrixType = MatrixType_;
  /// Type of the values.
  using Scalar = typename MatrixType::Scalar;
  /// Type of real values.
  using RealScalar = typename MatrixType::RealScalar;
  /// Type of the indices.
  using StorageIndex = typename MatrixType::StorageIndex;
  /// Constants that Eigen expects of a solver: the triangle, and the numbers of columns that are
  /// known at compile time.
  enum {
    UpLo = UpLo_,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };
  static_assert(std::is_same_v<Scalar, double>,
                "espalier::EspalierLLT factors matrices of double alone; cast the matrix to "
                "double.");
  static_assert(UpLo_ == Eigen::Lower || UpLo_ == Eigen::Upper,
                "espalier::EspalierLLT reads Eigen::Lower or Eigen::Upper.");

  /// Makes a solver without a matrix.
  EspalierLLT() = default;
  /// Makes a solver and calls compute().
  explicit EspalierLLT(const MatrixType& a) { compute(a); }

  /// Sets an option, with the name and the value that the program uses, such as ("ordering",
  /// "metis") or ("workers", "2"). It takes effect at the next analyzePattern() or compute().
  /// Throws UsageError if the name is unknown, or if the value cannot be read or is out of range.
  EspalierLLT& setOption(std::string_view name, std::string_view value) {
    options_.set(name, value);
    options_changed_ = true;
    return *this;
  }
  /// Sets all options. They take effect at the next analyzePattern() or compute().
  EspalierLLT& setOptions(const Options& options) {
    options_ = options;
    options_changed_ = true;
    return *this;
  }
  /// Makes later factorizations replace each diagonal entry d by offset + scale * d.
  EspalierLLT& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    offset_ = offset;
    scale_ = scale;
    return *this;
  }
  /// Declares that the caller keeps each later matrix unchanged, at its address, until the solver
  /// is destroyed or has analyzed another matrix. The solver then uses the arrays without a copy if
  /// they have 32-bit indices and hold only the lower triangle by columns or only the upper
  /// triangle by rows. Without this call, a matrix may be freed after compute(), as with Eigen's
  /// solvers.
  EspalierLLT& setMatrixStays(bool stays = true) {
    matrix_stays_ = stays;
    return *this;
  }

  /// Sets whether factorize() compares both triangles of the matrix (default true). With the
  /// comparison, factorize() reports Eigen::NumericalIssue if an entry differs from its mirror by
  /// more than 1e-10 of the larger one, or if only the triangle that is not read has entries off
  /// the diagonal. Without the comparison, only the triangle UpLo is read.
  EspalierLLT& setComparison(bool compares) {
    compares_ = compares;
    return *this;
  }

  /// Orders and analyzes the pattern, for any number of factorizations. Values are not needed.
  void analyzePattern(const MatrixType& a) {
    forget();
    guarded([&] {
      if (a.rows() != a.cols()) throw UsageError("the matrix is not square");
      if (a.rows() >= std::numeric_limits<Index>::max()) {
        throw UsageError("the matrix has more than 2^31 - 2 rows");
      }
      pattern_ = Triangle(a).pattern(matrix_stays_);
      analysis_.emplace(*pattern_, options_.analysis);
    });
    this->m_isInitialized = true;
  }
  /// Computes the factor of a matrix, which must have the analyzed pattern. Only the number of its
  /// entries is checked, not their positions.
  void factorize(const MatrixType& a) {
    eigen_assert(this->m_isInitialized && "call analyzePattern() first");
    if (!analysis_) return;  // info() says why
    factored_ = false;
    guarded([&] {
      if (a.rows() != pattern_->size() || a.cols() != pattern_->size()) {
        throw UsageError("the matrix has another size than the analyzed matrix");
      }
      if (compares_) Triangle(a).expect_symmetric();
      const Matrix matrix = Triangle(a).with_values(*pattern_, matrix_stays_, offset_, scale_);
      if (!factor_) {
        if (!runtime_) runtime_ = Runtime::shared(options_.runtime);
        factor_.emplace(*runtime_, *analysis_, options_.factor);
      }
      const FactorStatus status = factor_->factorize(matrix);
      factored_ = status.ok();
      if (!factored_) {
        throw InputError("the matrix is not positive definite: the pivot of column " +
                         std::to_string(status.bad_column) +
                         ", counted from 0, is not positive, or is below the rounding error");
      }
    });
  }
  /// Analyzes and factors the matrix.
  EspalierLLT& compute(const MatrixType& a) {
    analyzePattern(a);
    factorize(a);
    return *this;
  }

  /// Returns the result of the last call of analyzePattern(), factorize(), compute() or solve().
  Eigen::ComputationInfo info() const {
    eigen_assert(this->m_isInitialized && "call compute() first");
    return info_;
  }
  /// Returns a sentence that explains the last failure; empty after success.
  const std::string& lastErrorMessage() const { return message_; }
  /// Returns the number of rows of the analyzed matrix.
  Eigen::Index rows() const { return pattern_ ? pattern_->size() : 0; }
  /// Returns the number of columns of the analyzed matrix.
  Eigen::Index cols() const { return rows(); }
  /// Returns the backward error max|b-Ax| / (‖A‖∞ max|x| + max|b|) of the last solve, the largest
  /// of its right-hand sides.
  double backwardError() const { return backward_error_; }
  /// Returns the determinant of the factored matrix, or infinity if it is too large for a double.
  Scalar determinant() const { return computed().determinant().value(); }
  /// Returns the natural logarithm of the determinant, which never overflows.
  Scalar logDeterminant() const { return computed().log_determinant(); }
  /// Returns the factor, which gives access to L. It lives until the next analyzePattern() or
  /// compute().
  const Factor& factor() const { return computed(); }

  /// Solves for the columns of b. Eigen's solve() calls it. If the columns of x are contiguous, the
  /// solutions are written to x directly.
  template <class Rhs, class Dest>
  void _solve_impl(const Eigen::MatrixBase<Rhs>& b, Eigen::MatrixBase<Dest>& x) const {
    eigen_assert(factored_ && "no matrix has been factored: ask info() after compute()");
    eigen_assert(b.rows() == rows() && "the right-hand side has another number of rows");
    guarded([&] {
      if constexpr (!Dest::IsRowMajor && std::is_constructible_v<Eigen::Ref<Vectors>, Dest&>) {
        solve_into(b.derived(), x.derived());
      } else {
        Vectors solutions(b.rows(), b.cols());
        solve_into(b.derived(), solutions);
        x = solutions;
      }
      expect_accurate(backward_error_);
    });
  }
  using Base::_solve_impl;

 private:
  using Triangle = internal::EigenTriangle<MatrixType, UpLo_>;
  using Vectors = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;

  /// Calls `work`, and translates the exceptions that info() can express.
  template <class Work>
  void guarded(Work work) const {
    info_ = Eigen::Success;
    message_.clear();
    try {
      work();
    } catch (const UsageError& error) {
      note(Eigen::InvalidInput, error);
    } catch (const InputError& error) {
      note(Eigen::NumericalIssue, error);
    } catch (const InaccurateSolution& error) {
      note(Eigen::NumericalIssue, error);
    }
  }
  void note(Eigen::ComputationInfo info, const Error& error) const {
    info_ = info;
    message_ = error.what();
  }
  void solve_into(const Eigen::Ref<const Vectors>& b, Eigen::Ref<Vectors> x) const {
    const VectorArrays arrays{static_cast<Index>(rows()),
                              static_cast<Index>(b.cols()),
                              b.data(),
                              b.outerStride(),
                              x.data(),
                              x.outerStride()};
    expect_finite(arrays);
    backward_error_ = solve_in_arrays(computed(), arrays, options_.solve);
  }
  void forget() {
    factored_ = false;
    factor_.reset();
    analysis_.reset();
    pattern_.reset();
    if (std::exchange(options_changed_, false)) runtime_.reset();  // StarPU may have to start again
  }
  Factor& computed() const {
    if (!factored_) throw UsageError("no matrix has been factored; call compute() first");
    return *factor_;
  }

  Options options_;
  double offset_ = 0;
  double scale_ = 1;
  bool options_changed_ = false;
  bool matrix_stays_ = false;
  bool compares_ = true;
  bool factored_ = false;
  std::optional<Matrix> pattern_;
  std::optional<Analysis> analysis_;
  std::optional<Runtime> runtime_;
  mutable std::optional<Factor> factor_;  ///< destroyed before its runtime
  mutable Eigen::ComputationInfo info_ = Eigen::InvalidInput;
  mutable std::string message_;
  mutable double backward_error_ = 0;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace espalier
