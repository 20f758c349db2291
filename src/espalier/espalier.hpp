// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/compressed_columns.hpp"
#include "espalier/error.hpp"
#include "espalier/export.hpp"
#include "espalier/factor_parts.hpp"
#include "espalier/options.hpp"
#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "espalier/types.hpp"

/// \file
/// This header has all of the library but what several ranks need, which is in espalier/mpi.hpp.

/// The library's own sources are in this namespace; applications do not need it.
namespace espalier::internal {
struct AnalysisData;
struct FactorData;
struct Internals;
struct MatrixData;
struct RuntimeData;
}  // namespace espalier::internal

/// Espalier solves A x = b for a sparse, symmetric positive definite A in three steps:
///
/// - An Analysis finds the structure of L for a pattern: ordering, supernodes, blocks. One analysis
///   serves all matrices with the pattern.
/// - A Factor has the memory and the tasks for L. Factor::factorize() computes A = L Lᵀ, and again
///   for new values in the same memory.
/// - Factor::solve() solves L y = b and Lᵀ x = y for any number of vectors b. It refines x and
///   computes its error.
///
/// Numbers of rows and columns count from 0, and several vectors are stored one after another.
/// Objects of different factors may be used from different threads at once; one factor from one
/// thread at a time. Misuse and bad input throw the exceptions of error.hpp; a matrix that is not
/// positive definite is a result, not an exception. Nothing prints, exits or changes the
/// environment. An allocation that fails throws std::bad_alloc, after which objects can be used as
/// before; but in a task or in one of Espalier's policies, whose exception would pass through
/// StarPU, it ends in std::terminate().
namespace espalier {

/// A Matrix is a symmetric matrix given by its lower triangle. It is cheap to copy: copies share
/// their content, which never changes.
class ESPALIER_EXPORT Matrix {
 public:
  /// Reads a Matrix Market, Rutherford-Boeing or Harwell-Boeing file (plain or gzipped), or
  /// generates "laplace2d:M", "laplace3d:M", "stencil27:M", "elasticity3d:XxYxZ", "irregular2d:N".
  /// The format is found from the content of the file, whatever its name, unless `format` says it.
  /// Throws UsageError for a bad generator and InputError for a file that holds no such matrix.
  static Matrix load(const std::string& file_or_spec, FileFormat format = FileFormat::automatic);
  /// Does the same, but keeps only the pattern, which is enough for an Analysis. The file may lack
  /// values and diagonal entries, as files of graphs do; missing diagonal entries are added.
  static Matrix load_pattern(const std::string& file_or_spec,
                             FileFormat format = FileFormat::automatic);

  /// Takes the lower triangle of an n-by-n matrix in compressed columns: the rows of column j are
  /// row[column_begin[j] .. column_begin[j+1]), ascending, the diagonal first, with one value each;
  /// column_begin has n + 1 offsets. Throws InputError naming what is wrong. Cost O(entries).
  Matrix(std::vector<Count> column_begin, std::vector<Index> row, std::vector<double> value);

  /// Returns the matrix of an application's arrays, which are used as they are where they can be:
  /// rows and values where they are a lower triangle, count from 0 and ascend in each column, and
  /// then offsets of 64 bits, too. They have to stay as they are for as long as the matrix, those
  /// that are made of it by other values, and analyses and factors of these live. Of other arrays
  /// the matrix is made once: then it keeps 12 bytes an entry and 8 for the place of its value in
  /// the application's order, and nothing is borrowed. Throws InputError for arrays that are no
  /// symmetric matrix: a row outside its triangle, an entry that is there twice, a missing
  /// diagonal, a value that is not finite, and of Triangle::full an entry without its mirror or
  /// with another value than that. Throws UsageError for a base other than 0 and 1. Cost O(n +
  /// entries).
  static Matrix borrow(const CompressedColumns& arrays);
  /// Does the same, but copies what borrow() uses as it is: the arrays are free afterwards.
  static Matrix copy(const CompressedColumns& arrays);

  /// Returns a matrix with the same pattern, which both share, and other values in the same order:
  /// that of the application's arrays where the matrix is made of such. Throws InputError unless
  /// there is one value for each entry; whether all are finite, factorize() finds out.
  Matrix with_values(std::vector<double> value) const;
  /// Does the same for values that are copied. Cost: one pass over them.
  Matrix with_values(std::span<const double> value) const;
  /// Does the same for values that `write` puts into an array for all of them.
  Matrix with_values(const std::function<void(std::span<double> value)>& write) const;
  /// Does the same for values that have to stay as they are for as long as the matrix, a copy of
  /// it, or a factor of it that is still to solve; they are copied only where their order is not
  /// that of rows().
  Matrix borrow_values(std::span<const double> value) const;
  /// Writes a symmetric Matrix Market file (.gz where the name ends so); no partial file is left on
  /// failure. Throws UsageError for a matrix without values, InputError for a file that cannot be
  /// created, and RuntimeFailure for one that cannot be written.
  void save(const std::string& file) const;

  /// Returns n, the number of rows and of columns.
  Index size() const;
  /// Returns the number of entries of the lower triangle.
  Count entries() const;
  /// Returns the name of the file without its folder and extensions, or what was generated; it is
  /// empty for a matrix from memory.
  const std::string& name() const;
  /// Returns the values of the lower triangle, one for each of rows(), or none where only the
  /// pattern was loaded. They live as long as the matrix or a copy of it.
  std::span<const double> values() const;
  /// Returns the n + 1 offsets of the columns in rows() and values(); they live as long.
  std::span<const Count> column_begin() const;
  /// Returns the row of each entry, column by column; the rows live as long.
  std::span<const Index> rows() const;
  /// Returns y = A x for `count` vectors of n entries each. Throws UsageError where x has another
  /// size or the matrix no values. Cost: one pass over A for four vectors.
  std::vector<double> multiply(std::span<const double> x, Index count = 1) const;

 private:
  friend struct internal::Internals;
  explicit Matrix(std::shared_ptr<const internal::MatrixData> data) : data_(std::move(data)) {}
  std::shared_ptr<const internal::MatrixData> data_;
};

/// A Runtime is StarPU for Espalier: a private instance, or the one that the application runs.
class ESPALIER_EXPORT Runtime {
 public:
  /// Starts StarPU for this runtime alone, which shuts it down at the end. Between Espalier's calls
  /// its workers are paused. Throws UsageError where StarPU runs already or an option is wrong,
  /// UnknownScheduler, InputError if a file of costs that the options name cannot be used, and
  /// RuntimeFailure where StarPU does not start.
  explicit Runtime(const RuntimeOptions& options = {});
  /// Returns a runtime that uses the StarPU that the application has started; it is neither paused,
  /// restarted nor shut down. Throws UsageError where none runs.
  static Runtime inside_application();
  /// Returns a runtime that shares one private StarPU with all others that this function returned
  /// and that still live: so several libraries of a process use Espalier beside each other. The
  /// first call starts StarPU, and the end of the last of them shuts it down; a call after that
  /// starts it anew. Throws UsageError where options other than the defaults contradict the StarPU
  /// that is shared already; the message says what runs. Throws as the constructor does where it
  /// starts StarPU. Any thread may call it.
  static Runtime shared(const RuntimeOptions& options = {});
  /// Shuts down a private StarPU that no other runtime shares.
  ~Runtime();
  /// Takes over another runtime, which may only be destroyed or assigned to after that.
  Runtime(Runtime&&) noexcept;
  /// Gives up this runtime and takes over another one in the same way.
  Runtime& operator=(Runtime&&) noexcept;

  /// Returns the number of StarPU's CPU workers.
  Index cpu_workers() const;
  /// Returns the name of the scheduling policy that is active.
  std::string scheduler() const;

 private:
  friend struct internal::Internals;
  explicit Runtime(std::unique_ptr<internal::RuntimeData> data);
  std::unique_ptr<internal::RuntimeData> data_;
};

/// An Analysis is the structure of L for a pattern. It never changes, is cheap to copy, and may be
/// shared by factors in several threads.
class ESPALIER_EXPORT Analysis {
 public:
  /// Orders and analyzes. It needs no values and no StarPU. Throws UsageError for a bad option,
  /// InputError for a file that holds no permutation, and MemoryError.
  explicit Analysis(const Matrix& matrix, const AnalysisOptions& options = {});

  /// Returns n, the number of rows and of columns.
  Index size() const;
  /// Returns nnz(L), the number of entries of L, explicit zeros included.
  Count factor_entries() const;
  /// Returns the number of floating-point operations of a factorization.
  double flops() const;
  /// Returns the column of A at each position of L: P of P A Pᵀ = L Lᵀ, where (P x)[k] is
  /// x[permutation()[k]]. It lives as long as the analysis, a copy of it or a factor. Throws
  /// UsageError for an analysis by ranks, who choose the last of it themselves.
  std::span<const Index> permutation() const;
  /// Returns a report with `ordering`, `symbolic`, `matrix` and the counts of planned `tasks`. The
  /// factorization is planned in each call, for the workers of the options, by this machine's costs
  /// as they are then: see CostSource.
  Report report() const;
  /// Returns the numbers of supernodes with 1, 2, 3-4, 5-8, ... columns.
  std::vector<Count> supernode_width_histogram() const;
  /// Returns the numbers of tasks that are predicted to take under 1, 10, 100, ... microseconds,
  /// the last without limit. The factorization is planned as for report().
  std::vector<Count> task_time_histogram() const;

 private:
  friend struct internal::Internals;
  explicit Analysis(std::shared_ptr<const internal::AnalysisData> data) : data_(std::move(data)) {}
  std::shared_ptr<const internal::AnalysisData> data_;
};

/// A FactorStatus says how a factorization ended.
struct FactorStatus {
  /// This is -1, or a column of A, counted from 0, that shows that A is not positive definite: the
  /// first with a diagonal entry that is not positive, or one before it whose pivot failed.
  Index bad_column = -1;
  /// Returns whether A is positive definite, so that its factor can solve.
  bool ok() const { return bad_column < 0; }
};

/// A Solution is x with its quality.
struct Solution {
  /// The solution has n entries for each right-hand side, one vector after another.
  std::vector<double> x;
  /// The backward error is max|b-Ax| / (‖A‖∞ max|x| + max|b|), the worst of all right-hand sides.
  /// It is NaN or infinite where a number involved is not finite.
  double backward_error = 0;
  /// This many steps of iterative refinement improved x.
  Index refinement_steps = 0;
};

/// Right-hand sides and solutions that are not in memory all at once: a solve works on blocks of
/// consecutive ones, in ascending order.
struct VectorBlocks {
  /// Sets b, whose size says how many there are, to the right-hand sides first, first + 1, ..., one
  /// vector after another.
  std::function<void(Index first, std::span<double> b)> read;
  /// Takes the solutions of the block that was read last, and their error.
  std::function<void(Index first, std::span<const double> x, double backward_error)> write;
};

/// A Factor is L in memory, with the tasks that compute it. The runtime has to outlive it; the
/// analysis and matrices need not.
class ESPALIER_EXPORT Factor {
 public:
  /// Plans the factorization and allocates L. Throws UsageError for a bad option or an analysis by
  /// ranks, and MemoryError when the predicted peak passes the limit or the free memory.
  Factor(const Runtime& runtime, const Analysis& analysis, const FactorOptions& options = {});
  /// Waits for all that was submitted, and frees L.
  ~Factor();
  /// Takes over another factor, which may only be destroyed or assigned to after that.
  Factor(Factor&&) noexcept;
  /// Gives up this factor and takes over another one in the same way.
  Factor& operator=(Factor&&) noexcept;

  /// Computes A = L Lᵀ, for the first or another time, in the same memory. Throws UsageError unless
  /// the matrix has values and the pattern that was analyzed; InputError for a value that is not
  /// finite, which the factorization comes upon; MemoryError or RuntimeFailure where a device
  /// failed. There is no factor then until the next success, nor where the matrix is not positive
  /// definite.
  FactorStatus factorize(const Matrix& matrix);
  /// Solves A X = B for `count` right-hand sides of n entries each, and refines while that helps.
  /// The error is always computed. Throws UsageError before a successful factorize(), for a wrong
  /// size or for a bad option, and MemoryError where the solution does not fit. Up to 64 right-hand
  /// sides take one pass over L each way, fewer where the memory for more is missing.
  Solution solve(std::span<const double> b, Index count = 1, const SolveOptions& options = {});
  /// Does the same into x, which has as many entries as b; the Solution has none then. b and x may
  /// be the same, which costs a copy of b. What x has after an exception is not said.
  Solution solve(std::span<const double> b, std::span<double> x, Index count = 1,
                 const SolveOptions& options = {});
  /// Does the same for right-hand sides that come, and solutions that go, in such blocks; the
  /// Solution has no entries then.
  Solution solve(Index count, const VectorBlocks& blocks, const SolveOptions& options = {});

  /// Submits the tasks of factorize() and returns; StarPU must not be paused. The content of the
  /// matrix is shared until wait(). A second call waits for all that was submitted before. Throws
  /// UsageError as factorize() does.
  void submit_factorize(const Matrix& matrix);
  /// Submits the tasks of one solve, without refinement, after whatever was submitted before; b and
  /// x (which may be the same) must live until wait(). A second call waits for the first one's
  /// tasks. Throws UsageError before a submit_factorize() or factorize(), and for a wrong size.
  void submit_solve(std::span<const double> b, std::span<double> x, Index count = 1);
  /// Waits for all that was submitted to this factor, and for nothing else. Throws as factorize()
  /// does for a value that is not finite, and where a device failed.
  FactorStatus wait();

  /// Computes x for `count` vectors b of one step of a solve, or of all without refinement, as the
  /// System says. The vectors begin each `ldb` entries in b and `ldx` entries in x, where 0 stands
  /// for n; b and x may be the same where both have the same distance, and must not overlap
  /// otherwise. Throws UsageError before a successful factorize() and for a wrong size or distance,
  /// and MemoryError where what a solve needs does not fit. Cost: one pass over L for each triangle
  /// and each block of 64 vectors, and one over the vectors for P.
  void solve_part(System system, std::span<const double> b, std::span<double> x, Index count = 1,
                  Count ldb = 0, Count ldx = 0);
  /// Returns Analysis::permutation() of what this factor was made of; no factorization is needed.
  std::span<const Index> permutation() const;
  /// Returns the diagonal of L, in the order of L: entry k belongs to column permutation()[k] of A.
  /// As the next three do, it waits for what was submitted, and throws UsageError before a
  /// successful factorize(). Cost O(n).
  std::vector<double> diagonal() const;
  /// Returns L without the zeros that amalgamation added, or with them. Cost O(entries of L).
  LowerFactor lower(ExplicitZeros zeros = ExplicitZeros::dropped) const;
  /// Returns the determinant of A. Cost O(n).
  Determinant determinant() const;
  /// Returns the natural logarithm of the determinant of A, which never overflows. Cost O(n).
  double log_determinant() const;

  /// Returns everything that is known of this factor's analysis, factorizations and solves.
  Report report() const;
  /// Returns what ran where and when in the last factorization; it is empty before the first, and
  /// after one that failed. It is not to be called while one is under way.
  Schedule schedule() const;

 private:
  friend struct internal::Internals;
  std::unique_ptr<internal::FactorData> data_;
};

/// Returns the report as a JSON object, with a member for each field of the same name.
ESPALIER_EXPORT std::string to_json(const Report& report);

/// Returns a page for browsers, which needs no other file: what the report has of matrix, times and
/// memory, and, of a schedule with tasks, when and where these ran. It is XML as well. Cost
/// O(tasks).
ESPALIER_EXPORT std::string to_html(const Report& report, const Schedule& schedule);

/// Returns the version of the library as "major.minor.patch".
ESPALIER_EXPORT const char* version();

}  // namespace espalier
