// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eigen_triangle.hpp"
#include "espalier/bindings.hpp"

/// \file
/// Common parts of the solvers for Eigen.

namespace espalier {

// NOLINTBEGIN(readability-identifier-naming): names in the style of Eigen
/// Common parts of EspalierLLT and EspalierLDLT, which solve A x = b with the interface of Eigen's
/// sparse solvers. A is an Eigen::SparseMatrix of double in any storage order and with any index
/// type. The solver reads the triangle UpLo of A.
///
/// compute() calls analyzePattern() and factorize(). For new values on the same pattern, call only
/// factorize(), which reuses the memory.
///
/// info() returns the result of the last call, and lastErrorMessage() explains a failure:
///
/// - Eigen::NumericalIssue: the matrix is not positive definite, does not have the given signs, is
///   singular to rounding, lacks a diagonal entry or has a value that is not finite; or the
///   right-hand side has such a value; or the backward error of the solution is above 1e-10.
/// - Eigen::InvalidInput: an option is out of range, or the matrix is not square or has another
///   pattern than the analyzed one, or the number of signs is wrong.
///
/// Other failures are exceptions: MemoryError, RuntimeFailure, UnknownScheduler and std::bad_alloc.
///
/// All solvers of a process share one StarPU; see Runtime::shared(). Several threads may use
/// different solvers at the same time, but only one thread at a time may use one solver.
template <class Derived, class MatrixType_, int UpLo_>
class EspalierSolverBase : public Eigen::SparseSolverBase<Derived> {
  using Base = Eigen::SparseSolverBase<Derived>;

 public:
  /// Type of the matrix.
  using MatrixType = MatrixType_;
  /// Type of the values.
  using Scalar = typename MatrixType::Scalar;
  /// Type of real values.
  using RealScalar = typename MatrixType::RealScalar;
  /// Type of the indices.
  using StorageIndex = typename MatrixType::StorageIndex;
  /// Type of permutationP().
  using PermutationType = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, StorageIndex>;
  /// Constants that Eigen expects of a solver: the triangle, and the numbers of columns that are
  /// known at compile time.
  enum {
    UpLo = UpLo_,
    ColsAtCompileTime = MatrixType::ColsAtCompileTime,
    MaxColsAtCompileTime = MatrixType::MaxColsAtCompileTime
  };
  static_assert(std::is_same_v<Scalar, double>,
                "Espalier factors matrices of double alone; cast the matrix to double.");
  static_assert(UpLo_ == Eigen::Lower || UpLo_ == Eigen::Upper,
                "Espalier reads Eigen::Lower or Eigen::Upper.");

  /// Sets an option, with the name and the value that the program uses, such as ("ordering",
  /// "metis") or ("workers", "2"). It takes effect at the next analyzePattern() or compute().
  /// Throws UsageError if the name is unknown, or if the value cannot be read or is out of range.
  /// Also throws it for another "factorization" than that of the class. EspalierLDLT also takes
  /// "auto".
  Derived& setOption(std::string_view name, std::string_view value) {
    Options changed = options_;
    changed.set(name, value);
    if (name == "factorization") expect_of_class(changed.factor.factorization);
    options_ = std::move(changed);
    options_changed_ = true;
    return this->derived();
  }
  /// Sets all options. They take effect at the next analyzePattern() or compute(). EspalierLLT then
  /// reports Eigen::InvalidInput unless the options have Factorization::llt. EspalierLDLT tries
  /// L Lᵀ first if they have Factorization::automatic.
  Derived& setOptions(const Options& options) {
    options_ = options;
    options_changed_ = true;
    return this->derived();
  }
  /// Makes later factorizations replace each diagonal entry d by offset + scale * d.
  Derived& setShift(const RealScalar& offset, const RealScalar& scale = 1) {
    offset_ = offset;
    scale_ = scale;
    return this->derived();
  }
  /// Declares that the caller keeps each later matrix unchanged, at its address, until the solver
  /// is destroyed or has analyzed another matrix. The solver then uses the arrays without a copy if
  /// they have 32-bit indices and hold only the lower triangle by columns or only the upper
  /// triangle by rows. Without this call, a matrix may be freed after compute(), as with Eigen's
  /// solvers.
  Derived& setMatrixStays(bool stays = true) {
    matrix_stays_ = stays;
    return this->derived();
  }

  /// Sets whether factorize() compares both triangles of the matrix (default true). With the
  /// comparison, factorize() reports Eigen::NumericalIssue if an entry differs from its mirror by
  /// more than 1e-10 of the larger one, or if only the triangle that is not read has entries off
  /// the diagonal. Without the comparison, only the triangle UpLo is read.
  Derived& setComparison(bool compares) {
    compares_ = compares;
    return this->derived();
  }

  /// Orders and analyzes the pattern, for any number of factorizations. Values are not needed,
  /// except by an EspalierLDLT without signs: it pairs columns by their values, unless the option
  /// "matching" is 0 or the option "factorization" is auto.
  void analyzePattern(const MatrixType& a) {
    forget();
    guarded([&] {
      if (a.rows() != a.cols()) throw UsageError("the matrix is not square");
      if (factorization_ == Factorization::llt) expect_of_class(options_.factor.factorization);
      if (a.rows() >= std::numeric_limits<Index>::max()) {
        throw UsageError("the matrix has more than 2^31 - 2 rows");
      }
      Options options = options_;
      if (chooses_pivots()) match_for_pivots(options);
      pattern_ = Triangle(a).pattern(matrix_stays_);
      analysis_.emplace(options.analysis.matching ? values_of(a) : *pattern_, options.analysis);
    });
    this->m_isInitialized = true;
  }
  /// Computes the factor of a matrix, which must have the analyzed pattern. Only the number of its
  /// entries is checked, not their positions.
  void factorize(const MatrixType& a) {
    eigen_assert(this->m_isInitialized && "call analyzePattern() first");
    if (!analysis_) return;  // info() says why
    lose_factor();
    guarded([&] {
      if (a.rows() != pattern_->size() || a.cols() != pattern_->size()) {
        throw UsageError("the matrix has another size than the analyzed matrix");
      }
      if (compares_) Triangle(a).expect_symmetric();
      const Matrix matrix = values_of(a);
      prepare_factor();
      expect_pivots(factor_->factorize(matrix));
      factored_ = true;
    });
  }
  /// Analyzes and factors the matrix.
  Derived& compute(const MatrixType& a) {
    analyzePattern(a);
    factorize(a);
    return this->derived();
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
  /// Returns the permutation P of P A P⁻¹, which is a product of L, its transpose, and D if there
  /// is one. If the factorization chose its pivots, P only orders the columns before that. Cost
  /// O(n).
  PermutationType permutationP() const {
    const std::span<const Index> columns = computed().permutation();
    PermutationType permutation(rows());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      permutation.indices()[columns[k]] = static_cast<StorageIndex>(k);
    }
    return permutation;
  }
  /// Returns the inverse of permutationP(). Cost O(n).
  PermutationType permutationPinv() const { return permutationP().inverse(); }
  /// Returns the determinant of the factored matrix, or an infinity if it is too large for a
  /// double.
  Scalar determinant() const { return computed().determinant().value(); }
  /// Returns the natural logarithm of the magnitude of the determinant, which never overflows.
  Scalar logDeterminant() const { return computed().log_determinant(); }
  /// Returns the factor, which gives access to L and to the inertia. It lives until the next
  /// analyzePattern() or compute().
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

 protected:
  /// Makes a solver by this kind of factorization, without a matrix.
  explicit EspalierSolverBase(Factorization factorization) : factorization_(factorization) {}

  /// Sets the signs of the pivots for the next factorize(). Until then there is no factor.
  void set_signs(std::vector<signed char>&& signs) {
    signs_ = std::move(signs);
    signs_changed_ = true;
    lose_factor();
  }
  /// Returns the signs of the pivots in the order of the rows, if there are any.
  const std::optional<std::vector<signed char>>& signs() const { return signs_; }
  /// Returns L, divided by its diagonal. The first call after a factorization copies L. Throws as
  /// Factor::lower() does.
  const Eigen::SparseMatrix<double, Eigen::ColMajor, StorageIndex>& unit_lower() const {
    if (!unit_lower_) unit_lower_ = copy_of_unit_lower();
    return *unit_lower_;
  }

 private:
  using Triangle = internal::EigenTriangle<MatrixType, UpLo_>;
  using Vectors = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;
  using UnitLower = Eigen::SparseMatrix<double, Eigen::ColMajor, StorageIndex>;

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
  UnitLower copy_of_unit_lower() const {
    const LowerFactor l = factor().lower();
    UnitLower unit(rows(), rows());
    unit.reserve(l.column_begin.back());
    for (Eigen::Index j = 0; j < rows(); ++j) {
      const Count begin = l.column_begin[j];
      unit.startVec(j);
      for (Count k = begin; k < l.column_begin[j + 1]; ++k) {
        unit.insertBack(l.row[k], j) = l.value[k] / l.value[begin];
      }
    }
    unit.finalize();
    return unit;
  }
  Matrix values_of(const MatrixType& a) const {
    return Triangle(a).with_values(*pattern_, matrix_stays_, offset_, scale_);
  }
  /// Returns the kind of factorization: that of the class, or Factorization::automatic.
  Factorization kind() const {
    const Factorization asked = options_.factor.factorization;
    return asked == Factorization::automatic ? asked : factorization_;
  }
  bool chooses_pivots() const { return kind() == Factorization::ldlt && !signs_; }
  void lose_factor() {
    factored_ = false;
    unit_lower_.reset();
  }
  void forget() {
    lose_factor();
    factor_.reset();
    analysis_.reset();
    pattern_.reset();
    if (std::exchange(options_changed_, false)) runtime_.reset();  // StarPU may have to start again
  }
  /// Throws UsageError if this kind is for another class.
  void expect_of_class(Factorization asked) const {
    if (asked == factorization_) return;
    if (asked == Factorization::automatic && factorization_ == Factorization::ldlt) return;
    throw UsageError(
        "the class of the solver determines the factorization; use EspalierLDLT for ldlt or auto, "
        "and EspalierLLT for llt");
  }
  /// Throws InputError if a pivot failed, or if a chosen pivot shows that the matrix is singular.
  void expect_pivots(const FactorStatus& status) const {
    const Index column = status.ok() ? factor_->singular_column() : status.bad_column;
    if (column < 0) return;
    const bool known = factorization_ == Factorization::llt || signs_;
    throw InputError(known ? failed_pivot(column, factorization_) : singular_pivot(column));
  }
  /// Makes the factor unless it exists, and gives it new signs.
  void prepare_factor() {
    if (!runtime_) runtime_ = Runtime::shared(options_.runtime);
    const bool exists = factor_.has_value();
    if (!exists) {
      FactorOptions options = options_.factor;
      options.factorization = kind();
      factor_.emplace(*runtime_, *analysis_, options);
    }
    if (signs_ && (!exists || signs_changed_)) factor_->set_signs(*signs_);
    signs_changed_ = false;
  }
  Factor& computed() const {
    if (!factored_) throw UsageError("no matrix has been factored; call compute() first");
    return *factor_;
  }

  Factorization factorization_;
  std::optional<std::vector<signed char>> signs_;
  bool signs_changed_ = false;
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
  mutable std::optional<UnitLower> unit_lower_;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace espalier
