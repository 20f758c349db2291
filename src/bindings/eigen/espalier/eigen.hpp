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
/// This header has Espalier as a sparse solver of Eigen.

namespace espalier {

template <class MatrixType_, int UpLo_ = Eigen::Lower>
class CholeskySolver;

}  // namespace espalier

namespace espalier::internal {

/// The entries of one triangle of a matrix of Eigen, by its columns or its rows, which for a
/// symmetric matrix are the same. Espalier's index has 32 bits; entries may be apart and, of the
/// other triangle, too many.
template <class SparseMatrix, int UpLo>
class EigenTriangle {
 public:
  /// The numbers of rows and columns are of this type.
  using Inner = typename SparseMatrix::StorageIndex;

  /// The matrix has to live as long as this.
  explicit EigenTriangle(const SparseMatrix& a) : a_(a) {
    all_ = a.isCompressed();
    for (Eigen::Index j = 0; all_ && j < a.outerSize(); ++j) {
      // The numbers ascend, so that the outermost entry tells of all.
      const Count outermost = triangle == Triangle::lower ? begin(j) : end(j) - 1;
      all_ = begin(j) == end(j) || has(a.innerIndexPtr()[outermost], j);
    }
  }

  /// Which triangle it is of the arrays by compressed columns.
  static constexpr Triangle triangle =
      ((UpLo & Eigen::Lower) != 0) != bool{SparseMatrix::IsRowMajor} ? Triangle::lower
                                                                     : Triangle::upper;

  /// Throws InputError if the triangle has no entries off the diagonal and the other one has some,
  /// or if both have some and differ. Cost: one pass over the entries.
  void expect_symmetric() const {
    const TriangleComparison found = TriangleComparer(*this).compare();
    const bool is_lower = triangle == Triangle::lower;
    if ((is_lower ? found.lower : found.upper) == 0 && found.lower + found.upper > 0) {
      throw InputError(std::string("the matrix has no entries off the diagonal in the ") +
                       (UpLo & Eigen::Lower ? "lower" : "upper") +
                       " triangle, which the solver reads, but in the other one; choose " +
                       (UpLo & Eigen::Lower ? "Eigen::Upper" : "Eigen::Lower"));
    }
    if (!found.difference) return;
    const bool by_rows = SparseMatrix::IsRowMajor;
    refuse_asymmetry(by_rows ? transposed(*found.difference) : *found.difference, 0,
                     "to read only one triangle, call setComparison(false)");
  }

  /// The arrays as TriangleComparer takes them.
  Count size() const { return a_.outerSize(); }
  Count begin(Count j) const { return a_.outerIndexPtr()[j]; }
  Count end(Count j) const {
    return a_.isCompressed() ? Count{a_.outerIndexPtr()[j + 1]}
                             : begin(j) + a_.innerNonZeroPtr()[j];
  }
  Count row(Count k) const { return a_.innerIndexPtr()[k]; }
  double value(Count k) const { return a_.valuePtr()[k]; }

  /// The pattern; the arrays of Eigen are used as they are where they stay as they are, and can be.
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

  /// The same pattern with the values of the matrix, diagonal entries d being offset + scale * d.
  /// Throws UsageError where the matrix has more or fewer entries than the pattern.
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
                     " entries in its triangle, and the one that was analyzed had " +
                     std::to_string(known) + "; call analyzePattern() or compute() first");
  }

  static bool has(Eigen::Index inner, Eigen::Index outer) {
    return triangle == Triangle::lower ? inner >= outer : inner <= outer;
  }

  const SparseMatrix& a_;
  bool all_;  ///< the arrays have these entries, and no others
};

}  // namespace espalier::internal

namespace espalier {

// NOLINTBEGIN(readability-identifier-naming): names in the style of Eigen
/// A CholeskySolver factors a sparse, symmetric positive definite matrix A by Espalier, with the
/// interface of Eigen's own sparse solvers. It reads the triangle UpLo of A, an
/// Eigen::SparseMatrix of double in any storage order and with any index type.
///
/// compute() is analyzePattern() and factorize(); the latter alone serves new values on the same
/// pattern, in the same memory. info() says how the last call ended, and lastErrorMessage() why:
/// Eigen::NumericalIssue for a matrix that is not positive definite, lacks a diagonal entry, has a
/// value that is not finite, for a right-hand side with such a value, or a solution that has a
/// backward error above 1e-10, and Eigen::InvalidInput for options out of range, a matrix that is
/// not square and one without the pattern that was analyzed. What neither the matrix nor the call
/// is to blame for is an exception: MemoryError, RuntimeFailure, UnknownScheduler and
/// std::bad_alloc.
///
/// All solvers of a process share one StarPU; see Runtime::shared(). Different solvers may be used
/// from different threads at once, one solver from one thread at a time.
template <class MatrixType_, int UpLo_>
class CholeskySolver : public Eigen::SparseSolverBase<CholeskySolver<MatrixType_, UpLo_>> {
  using Base = Eigen::SparseSolverBase<CholeskySolver>;

 public:
  /// The matrix is of this type.
  using MatrixType = MatrixType_;
  /// Its numbers are of this type.
  using Scalar = typename MatrixType::Scalar;
  /// So are real ones.
  using RealScalar = typename MatrixType::RealScalar;
  /// Its indices are of this type.
  using StorageIndex = typename MatrixType::StorageIndex;
  /// What Eigen asks of its solvers: the triangle, and how many columns may be known beforehand.
  enum {
    UpLo = UpLo_,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };
  static_assert(std::is_same_v<Scalar, double>,
                "espalier::CholeskySolver factors matrices of double alone; cast the matrix to "
                "double.");
  static_assert(UpLo_ == Eigen::Lower || UpLo_ == Eigen::Upper,
                "espalier::CholeskySolver reads Eigen::Lower or Eigen::Upper.");

  /// Makes a solver without a matrix.
  CholeskySolver() = default;
  /// Makes a solver and calls compute().
  explicit CholeskySolver(const MatrixType& a) { compute(a); }

  /// Sets an option by the name and in the form that the program has, such as ("ordering", "metis")
  /// or ("workers", "2"); it holds from the next analyzePattern() or compute() on. Throws
  /// UsageError for a name that is unknown, and for a value that cannot be read or is out of its
  /// limits.
  CholeskySolver& setOption(std::string_view name, std::string_view value) {
    options_.set(name, value);
    options_changed_ = true;
    return *this;
  }
  /// Sets all options at once, in the same way.
  CholeskySolver& setOptions(const Options& options) {
    options_ = options;
    options_changed_ = true;
    return *this;
  }
  /// Has the next factorizations replace each diagonal entry d by offset + scale * d.
  CholeskySolver& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    offset_ = offset;
    scale_ = scale;
    return *this;
  }
  /// Says that matrices that are given from now on stay as they are, at their place, until the
  /// solver ends or has analyzed another one. Their arrays are then used without a copy where they
  /// hold one triangle in 32-bit indices, which is the lower one by columns or the upper one by
  /// rows. Without this, matrices may go, as Eigen's own solvers allow.
  CholeskySolver& setMatrixStays(bool stays = true) {
    matrix_stays_ = stays;
    return *this;
  }

  /// Says whether factorize() compares both triangles of a matrix that has both (the default), and
  /// fails with Eigen::NumericalIssue if an entry differs from its mirror by more than 1e-10 of the
  /// larger one, or if only the triangle that is not read has entries off the diagonal. Without a
  /// comparison only the triangle UpLo is read.
  CholeskySolver& setComparison(bool compares) {
    compares_ = compares;
    return *this;
  }

  /// Orders and analyzes the pattern, for any number of factorizations. It needs no values.
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
  /// Computes the factor of a matrix with the pattern that was analyzed; in another one, an entry
  /// more or less is found, but not one at another place.
  void factorize(const MatrixType& a) {
    eigen_assert(this->m_isInitialized && "call analyzePattern() first");
    if (!analysis_) return;  // info() says why
    factored_ = false;
    guarded([&] {
      if (a.rows() != pattern_->size() || a.cols() != pattern_->size()) {
        throw UsageError("the matrix has another size than the one that was analyzed");
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
  /// Analyzes and factors.
  CholeskySolver& compute(const MatrixType& a) {
    analyzePattern(a);
    factorize(a);
    return *this;
  }

  /// Returns how the last call of analyzePattern(), factorize(), compute() or solve() ended.
  Eigen::ComputationInfo info() const {
    eigen_assert(this->m_isInitialized && "call compute() first");
    return info_;
  }
  /// Returns the sentence about it, empty after success.
  const std::string& lastErrorMessage() const { return message_; }
  /// Returns the number of rows of the matrix that was analyzed.
  Eigen::Index rows() const { return pattern_ ? pattern_->size() : 0; }
  /// Returns the number of its columns.
  Eigen::Index cols() const { return rows(); }
  /// Returns the backward error max|b-Ax| / (‖A‖∞ max|x| + max|b|) of the last solve, the worst of
  /// its right-hand sides.
  double backwardError() const { return backward_error_; }
  /// Returns the determinant of the matrix that was factored, infinity where it is too large.
  Scalar determinant() const { return computed().determinant().value(); }
  /// Returns the natural logarithm of it, which never overflows.
  Scalar logDeterminant() const { return computed().log_determinant(); }
  /// Returns the factor, which tells of L; it lives until the next analyzePattern() or compute().
  const Factor& factor() const { return computed(); }

  /// Solves for the columns of b; this is what Eigen's solve() calls. Solutions go straight to x
  /// where its columns are arrays.
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

  /// Calls work, and turns exceptions into info() as far as they have a place there.
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
    if (std::exchange(options_changed_, false)) runtime_.reset();  // StarPU may have to start anew
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
  mutable std::optional<Factor> factor_;  ///< ends before its runtime
  mutable Eigen::ComputationInfo info_ = Eigen::InvalidInput;
  mutable std::string message_;
  mutable double backward_error_ = 0;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace espalier
