// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "espalier/export.hpp"
#include "espalier/options.hpp"
#include "espalier/report.hpp"
#include "espalier/types.hpp"

/// Espalier solves A x = b for a sparse, symmetric positive definite A in three steps:
///
///   Analysis  the structure of L for a pattern: ordering, supernodes, blocks  (once a pattern)
///   Factor    memory and tasks for L; factorize() computes A = L Lᵀ            (once for new
///   values) solve     L y = b, Lᵀ x = y, with refinement and a checked residual       (any number
///   of times)
///
/// Objects of different factors may be used from different threads at once; one factor from one
/// thread at a time. Misuse and bad input throw the exceptions of error.hpp; a matrix that is not
/// positive definite is a result, not an exception. Nothing prints, exits or changes the
/// environment.
namespace espalier {

/// The library's own sources reach what the public objects hold by this type; applications do not
/// need it.
struct Internals;

/// A symmetric matrix given by its lower triangle. Cheap to copy: copies share their content.
class ESPALIER_EXPORT Matrix {
 public:
  /// Reads a Matrix Market, Rutherford-Boeing or Harwell-Boeing file (plain or .gz), or generates
  /// "laplace2d:M", "laplace3d:M", "stencil27:M", "elasticity3d:XxYxZ", "irregular2d:N". Throws
  /// InputError.
  static Matrix load(const std::string& file_or_spec);
  /// The same, keeping only the pattern: enough for an Analysis.
  static Matrix load_pattern(const std::string& file_or_spec);

  /// Takes the lower triangle in compressed columns, 0-based: rows of column j are
  /// row[column_begin[j] .. column_begin[j+1]), ascending, the diagonal first. Throws InputError
  /// naming what is wrong.
  Matrix(std::vector<Count> column_begin, std::vector<Index> row, std::vector<double> value);

  /// The same pattern, shared, with other values in the same order.
  Matrix with_values(std::vector<double> value) const;
  /// Writes a symmetric Matrix Market file (.gz where the name ends so); no partial file is left on
  /// failure.
  void save(const std::string& file) const;

  Index size() const;
  Count entries() const;  ///< of the lower triangle
  const std::string& name() const;
  std::span<const double> values() const;
  std::span<const Count> column_begin() const;
  std::span<const Index> rows() const;
  /// y = A x for `count` vectors stored one after another.
  std::vector<double> multiply(std::span<const double> x, Index count = 1) const;

 private:
  friend struct Internals;
  struct Data;
  explicit Matrix(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// StarPU for Espalier: a private instance, or the one that the application runs.
class ESPALIER_EXPORT Runtime {
 public:
  /// Starts StarPU, and shuts it down at the end. Between Espalier's calls its workers are paused.
  explicit Runtime(const RuntimeOptions& options = {});
  /// Uses the StarPU that the application has started; it is neither paused, restarted nor shut
  /// down.
  static Runtime inside_application();
  ~Runtime();
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;

  Index cpu_workers() const;
  std::string scheduler() const;

 private:
  friend struct Internals;
  struct Data;
  explicit Runtime(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// The structure of L for a pattern. Immutable, cheap to copy, may be shared by factors in several
/// threads.
class ESPALIER_EXPORT Analysis {
 public:
  /// Orders and analyzes. Needs no values and no StarPU. Throws UsageError, InputError,
  /// MemoryError.
  explicit Analysis(const Matrix& matrix, const AnalysisOptions& options = {});

  Index size() const;
  Count factor_entries() const;  ///< nnz(L), explicit zeros included
  double flops() const;
  /// Fills `ordering`, `symbolic`, `matrix` and the counts of planned `tasks`.
  Report report() const;
  /// Numbers of supernodes with 1, 2, 3-4, 5-8, ... columns.
  std::vector<Count> supernode_width_histogram() const;
  /// Numbers of tasks predicted to take under 1, 10, 100, ... microseconds, the last without limit.
  std::vector<Count> task_time_histogram() const;

 private:
  friend struct Internals;
  struct Data;
  explicit Analysis(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// How a factorization ended.
struct FactorStatus {
  /// -1, or a column of A, numbered from 0, that shows that A is not positive definite: the first
  /// with a diagonal entry that is not positive, or one before it whose pivot failed.
  Index bad_column = -1;
  bool ok() const { return bad_column < 0; }
};

/// A solution with its quality. A backward error is max|b-Ax| / (‖A‖∞ max|x| + max|b|), the worst
/// of all columns.
struct Solution {
  std::vector<double> x;  ///< n by count, by columns
  double backward_error = 0;
  Index refinement_steps = 0;
};

/// L in memory, with the tasks that compute it. The runtime outlives it.
class ESPALIER_EXPORT Factor {
 public:
  /// Allocates and plans. Throws MemoryError when the predicted peak passes the limit or the free
  /// memory.
  Factor(const Runtime& runtime, const Analysis& analysis, const FactorOptions& options = {});
  ~Factor();
  Factor(Factor&&) noexcept;
  Factor& operator=(Factor&&) noexcept;

  /// Computes A = L Lᵀ, for the first or another time, in the same memory. The pattern must be the
  /// one that was analyzed, else UsageError.
  FactorStatus factorize(const Matrix& matrix);
  /// Solves A X = B for `count` right-hand sides stored one after another; refines while that
  /// helps. The error is always computed. Throws UsageError before a successful factorize() or for
  /// a wrong size.
  Solution solve(std::span<const double> b, Index count = 1, const SolveOptions& options = {});

  /// Submits the tasks of factorize() and returns; StarPU must not be paused. The matrix is shared
  /// until wait().
  void submit_factorize(const Matrix& matrix);
  /// Submits the tasks of one solve, without refinement, after whatever was submitted before; b and
  /// x (which may be the same) must live until wait(). A second call waits for the first one's
  /// tasks.
  void submit_solve(std::span<const double> b, std::span<double> x, Index count = 1);
  /// Waits for all that was submitted to this factor, and for nothing else.
  FactorStatus wait();

  /// Everything known of this factor's analysis, factorizations and solves.
  Report report() const;
  /// What ran where and when in the last factorization; empty before the first, and after one that
  /// failed. Not to be called while one is under way.
  Schedule schedule() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// The report as a JSON object.
ESPALIER_EXPORT std::string to_json(const Report& report);

/// "major.minor.patch"
ESPALIER_EXPORT const char* version();

}  // namespace espalier
