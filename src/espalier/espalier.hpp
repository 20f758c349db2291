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
#include "espalier/separator_tree.hpp"
#include "espalier/types.hpp"

/// \file
/// The solver for one process. The solver for several ranks is in espalier/mpi.hpp.

/// Internals of the library; applications do not need them.
namespace espalier::internal {
struct AnalysisData;
struct FactorData;
struct Internals;
struct MatrixData;
struct RuntimeData;
}  // namespace espalier::internal

/// Espalier solves A x = b for a sparse, symmetric matrix A in three steps. A is positive definite
/// or indefinite. For quasi-definite A, the signs of the pivots may be given.
///
/// - An Analysis finds the structure of L from the pattern of A: ordering, supernodes, blocks. One
///   analysis serves all matrices with the same pattern.
/// - A Factor holds the memory and the tasks for L. Factor::factorize() computes A = L Lᵀ, or
///   A = L J Lᵀ with signs J. It can be called again for new values and then reuses the
///   memory.
/// - Factor::solve() solves with L and Lᵀ for any number of vectors b. It also refines x and
///   computes the backward error.
///
/// Rows and columns are counted from 0. If a function takes several vectors, they are stored one
/// after another. Several threads may use objects of different factors at the same time, but only
/// one thread at a time may use one factor.
///
/// Wrong use and bad input throw the exceptions of error.hpp. A matrix that is not positive
/// definite, or whose pivots have other signs, does not cause an exception: FactorStatus reports
/// it. The library never prints, exits or changes the environment.
///
/// If an allocation fails, the function throws std::bad_alloc, and the objects remain usable. If it
/// fails inside a task or inside a policy of Espalier, std::terminate() ends the program, because
/// the exception would have to pass through StarPU.
namespace espalier {

/// A symmetric matrix, given by its lower triangle. Copies are cheap: they share the content, which
/// never changes.
class ESPALIER_EXPORT Matrix {
 public:
  /// Reads a Matrix Market, Rutherford-Boeing or Harwell-Boeing file (plain or gzipped), or
  /// generates a matrix. The names "laplace2d:M", "laplace3d:M", "stencil27:M",
  /// "elasticity3d:XxYxZ" and "irregular2d:N" give positive definite matrices, and "stokes2d:M",
  /// "mixed2d:M" and "helmholtz3d:M" give indefinite matrices. With FileFormat::automatic, the
  /// content of the file determines the format; the name does not matter. Throws UsageError if the
  /// name of a generator is wrong, and InputError if the file does not hold a symmetric matrix.
  static Matrix load(const std::string& file_or_spec, FileFormat format = FileFormat::automatic);
  /// Reads or generates a matrix as load() does, but adds missing diagonal entries with value 0, as
  /// saddle points have them. Such a matrix has no L Lᵀ.
  static Matrix load_indefinite(const std::string& file_or_spec,
                                FileFormat format = FileFormat::automatic);
  /// Reads or generates a matrix as load() does, but keeps only its pattern, which is enough for an
  /// Analysis. The file may lack values and diagonal entries, as files of graphs do. Missing
  /// diagonal entries are added.
  static Matrix load_pattern(const std::string& file_or_spec,
                             FileFormat format = FileFormat::automatic);

  /// Makes a matrix from the lower triangle of an n-by-n matrix in compressed columns. The rows of
  /// column j are row[column_begin[j] .. column_begin[j+1]). They ascend and begin with the
  /// diagonal. Each row has one value, and column_begin has n + 1 offsets. Throws InputError if the
  /// arrays violate these rules; the message names the first violation. Cost O(entries).
  Matrix(std::vector<Count> column_begin, std::vector<Index> row, std::vector<double> value);

  /// Returns a matrix that uses the arrays of an application without a copy, if possible. Rows and
  /// values are used in place if they are a lower triangle that counts from 0 and if the rows of
  /// each column ascend. Then offsets of 64 bits are used in place, too. The application must keep
  /// these arrays unchanged as long as one of these objects lives: the matrix, a matrix made from
  /// it with other values, or an analysis or factor of one of these matrices.
  ///
  /// Other arrays are converted once. The matrix then keeps 12 bytes per entry, and 8 bytes per
  /// entry for the position of its value in the application's arrays. It borrows nothing.
  ///
  /// Throws InputError if the arrays are not a symmetric matrix: if a row is outside the triangle,
  /// an entry occurs twice, a diagonal entry is missing, or a value is not finite. With
  /// Triangle::full it also throws if an entry lacks its mirror or differs from it. Throws
  /// UsageError if the base is neither 0 nor 1. Cost O(n + entries).
  static Matrix borrow(const CompressedColumns& arrays);
  /// Returns the same matrix as borrow(), but copies all arrays. The application may change or free
  /// them afterwards.
  static Matrix copy(const CompressedColumns& arrays);

  /// Returns a matrix with other values, which shares the pattern of this one. The order of the
  /// values is the order of the application's arrays if the matrix was made from such arrays, and
  /// the order of rows() otherwise. Throws InputError unless there is one value per entry. Only
  /// factorize() checks that the values are finite.
  Matrix with_values(std::vector<double> value) const;
  /// Returns a matrix with a copy of other values, in the order of the first overload. Cost: one
  /// pass over the values.
  Matrix with_values(std::span<const double> value) const;
  /// Returns a matrix with the values that `write` stores in the array that it receives. The array
  /// has one place per entry, in the order of the first overload.
  Matrix with_values(const std::function<void(std::span<double> value)>& write) const;
  /// Returns a matrix that uses other values without a copy, in the order of with_values(). The
  /// application must keep them unchanged as long as the matrix or a copy of it lives, or a factor
  /// of it still has to solve. The values are copied only if their order differs from that of
  /// rows().
  Matrix borrow_values(std::span<const double> value) const;
  /// Returns A - sigma I. Its inertia has the number of eigenvalues of A below sigma, see
  /// Factor::inertia(). The result shares the pattern of A, so that one Analysis serves all shifts.
  /// No entry is dropped if it becomes zero. Throws UsageError if sigma is not finite or the matrix
  /// has no values, and InputError if an entry overflows. Cost: one pass over the values.
  Matrix shifted(double sigma) const;
  /// Returns A - sigma B. Its pattern has all entries of A and of B, whatever sigma is. It is the
  /// pattern of A itself if A has all entries of B. So for several shifts, make
  /// C = A.shifted(0, B) once, analyze C, and factorize C.shifted(sigma, B) for each sigma. If B is
  /// positive definite, the inertia has the number of eigenvalues x of A v = x B v below sigma.
  /// Throws as the first overload does, and UsageError if B has another size. Cost: one pass over
  /// both matrices.
  Matrix shifted(double sigma, const Matrix& b) const;
  /// Writes a symmetric Matrix Market file, compressed if the name ends in ".gz". A failure leaves
  /// no partial file. Throws UsageError if the matrix has no values, InputError if the file cannot
  /// be created, and RuntimeFailure if it cannot be written.
  void save(const std::string& file) const;

  /// Returns n, the number of rows and of columns.
  Index size() const;
  /// Returns the number of entries of the lower triangle.
  Count entries() const;
  /// Returns the name of the file without folder and extensions, or the name of the generated
  /// matrix. It is empty for a matrix from memory.
  const std::string& name() const;
  /// Returns the values of the lower triangle, one per entry of rows(). They are empty if only the
  /// pattern was loaded. They live as long as the matrix or a copy of it.
  std::span<const double> values() const;
  /// Returns the n + 1 offsets of the columns in rows() and values(). They live as long as the
  /// matrix or a copy of it.
  std::span<const Count> column_begin() const;
  /// Returns the row of each entry, column by column. The rows live as long as the matrix or a copy
  /// of it.
  std::span<const Index> rows() const;
  /// Returns y = A x for `count` vectors x of n entries each. Throws UsageError if x has another
  /// size or if the matrix has no values. Cost: one pass over A per four vectors.
  std::vector<double> multiply(std::span<const double> x, Index count = 1) const;

 private:
  friend struct internal::Internals;
  explicit Matrix(std::shared_ptr<const internal::MatrixData> data) : data_(std::move(data)) {}
  std::shared_ptr<const internal::MatrixData> data_;
};

/// StarPU for Espalier: a private instance, or the instance that the application runs.
class ESPALIER_EXPORT Runtime {
 public:
  /// Starts a private StarPU; the destructor shuts it down. Its workers are paused between calls
  /// of Espalier. Throws UsageError if StarPU runs already or an option is wrong, UnknownScheduler
  /// if StarPU does not know the policy, InputError if a cost file named by the options cannot be
  /// used, and RuntimeFailure if StarPU does not start.
  explicit Runtime(const RuntimeOptions& options = {});
  /// Returns a runtime that uses the StarPU that the application has started. Espalier does not
  /// pause, restart or shut down that StarPU. Throws UsageError if none runs.
  static Runtime inside_application();
  /// Returns a runtime that shares one private StarPU with all other runtimes from this function.
  /// So several libraries of one process can use Espalier at the same time. The first call starts
  /// StarPU, and the destructor of the last of these runtimes shuts it down. A later call starts it
  /// again. Any thread may call this function.
  ///
  /// If the shared StarPU runs already, options with default values have no effect. Throws
  /// UsageError if another option differs from the settings of the running StarPU; the message
  /// names these settings. If the call starts StarPU, it throws the exceptions of the constructor.
  static Runtime shared(const RuntimeOptions& options = {});
  /// Shuts down a private StarPU unless another runtime shares it.
  ~Runtime();
  /// Takes over another runtime. Afterwards that runtime may only be destroyed or assigned to.
  Runtime(Runtime&&) noexcept;
  /// Gives up this runtime and takes over another one, as the move constructor does.
  Runtime& operator=(Runtime&&) noexcept;

  /// Returns the number of CPU workers of StarPU.
  Index cpu_workers() const;
  /// Returns the name of the active scheduling policy.
  std::string scheduler() const;

 private:
  friend struct internal::Internals;
  explicit Runtime(std::unique_ptr<internal::RuntimeData> data);
  std::unique_ptr<internal::RuntimeData> data_;
};

/// The structure of L for one pattern of A. It never changes and is cheap to copy. Factors in
/// several threads may share it.
class ESPALIER_EXPORT Analysis {
 public:
  /// Orders and analyzes the matrix. This needs neither values nor StarPU. Throws UsageError if an
  /// option is wrong, InputError if the file of the ordering does not hold a permutation, and
  /// MemoryError if memory is short.
  explicit Analysis(const Matrix& matrix, const AnalysisOptions& options = {});
  /// Orders and analyzes a matrix that differs from that of a previous analysis in some columns.
  /// Keeps the separators of the previous order that still separate the matrix, and orders anew the
  /// leaves and subtrees in which an entry or a column was added or removed. All other parts keep
  /// their order. See B. Zarebavani, D. Kaufman, D. Levin, M. Mehri Dehnavi, "Adaptive algebraic
  /// reuse of reordering in Cholesky factorizations with dynamic sparsity patterns", arXiv
  /// 2501.04011, 2025.
  ///
  /// Uses the ordering of the options if too much has changed: if the new parts are predicted to
  /// take more than half of the time of a new dissection, or if the factorization would take over
  /// 1.25 times the operations of the last order from scratch, adjusted to the number of entries.
  /// Only a dissection has separators. A previous order of another method, such as amd, is reused
  /// only if no entry has changed, and "natural" only for "natural". So with the ordering "auto",
  /// matrices for which it chooses amd are ordered anew.
  ///
  /// The order does not depend on the number of workers, but repeated reuse gives another one than
  /// a new analysis. Throws as the first constructor does, and UsageError if the previous columns
  /// are wrong. Cost of a small change: O(n + entries).
  ///
  /// \param matrix Matrix to analyze.
  /// \param options Options of the analysis.
  /// \param previous Analysis of the other matrix.
  /// \param previous_column For each column of the matrix, its number in the previous matrix, or -1
  ///   for new columns. No number occurs twice. If empty, the numbers are equal; the sizes must be
  ///   equal then.
  Analysis(const Matrix& matrix, const AnalysisOptions& options, const Analysis& previous,
           std::span<const Index> previous_column = {});

  /// Returns n, the number of rows and of columns.
  Index size() const;
  /// Returns nnz(L), the number of entries of L, explicit zeros included.
  Count factor_entries() const;
  /// Returns the number of floating-point operations of one factorization.
  double flops() const;
  /// Returns the column of A at each position of L. This is the permutation P of P A Pᵀ = L Lᵀ:
  /// (P x)[k] is x[permutation()[k]]. The array lives as long as the analysis, a copy of it, or a
  /// factor that was made from it. Throws UsageError if the analysis was made for several ranks,
  /// because the ranks choose the final column order.
  std::span<const Index> permutation() const;
  /// Returns the fill-reducing order and its separator tree. They live as long as permutation().
  const SeparatorTree& separator_tree() const;
  /// Writes separator_tree() to a text file, compressed if the name ends in ".gz". The same matrix
  /// with AnalysisOptions::ordering set to this file has the same permutation() and the same L.
  /// Throws as Matrix::save() does.
  void save_ordering(const std::string& file) const;
  /// Returns a report with `ordering`, `symbolic`, `matrix` and the planned counts of `tasks`. Each
  /// call plans the factorization for AnalysisOptions::workers, with the costs that this machine
  /// has at the time of the call (see CostSource).
  Report report() const;
  /// Returns the numbers of supernodes with 1, 2, 3-4, 5-8, ... columns.
  std::vector<Count> supernode_width_histogram() const;
  /// Returns a histogram of the predicted times of tasks: the numbers of tasks under 1, 10, 100,
  /// ... microseconds. The last class has no upper limit. The factorization is planned as in
  /// report().
  std::vector<Count> task_time_histogram() const;

 private:
  friend struct internal::Internals;
  explicit Analysis(std::shared_ptr<const internal::AnalysisData> data) : data_(std::move(data)) {}
  std::shared_ptr<const internal::AnalysisData> data_;
};

/// The result of a factorization.
struct FactorStatus {
  /// Column of A (0-based) that shows that A is not positive definite, or -1. It is the first
  /// column whose diagonal entry is not positive, or an earlier one whose pivot is not positive.
  /// With Factorization::ldlt, it is a column whose pivot is zero, has the wrong sign or is not
  /// finite; which one depends on the ordering.
  Index bad_column = -1;
  /// Position of the failed factorization among those submitted since the last Factor::wait(),
  /// counted from 0. It is 0 after a success.
  Index position = 0;
  /// Returns whether the pivots are as expected, so that the factor can solve.
  bool ok() const { return bad_column < 0; }
};

/// The solution x with its backward error.
struct Solution {
  /// Solution vectors of n entries each, one per right-hand side, one after another.
  std::vector<double> x;
  /// Backward error max|b-Ax| / (‖A‖∞ max|x| + max|b|), the largest of all right-hand sides. It is
  /// NaN or infinite if one of these numbers is not finite.
  double backward_error = 0;
  /// Number of steps of iterative refinement that improved x.
  Index refinement_steps = 0;
};

/// Callbacks for right-hand sides and solutions that are not in memory all at once. A solve works
/// on blocks of consecutive vectors, in ascending order.
struct VectorBlocks {
  /// Stores the right-hand sides first, first + 1, ... in b, one after another. The size of b
  /// determines their number.
  std::function<void(Index first, std::span<double> b)> read;
  /// Receives the solutions of the block that was read last, and their backward error.
  std::function<void(Index first, std::span<const double> x, double backward_error)> write;
};

/// The factor L in memory, with the tasks that compute it. The runtime must outlive it. The
/// analysis and the matrices need not.
class ESPALIER_EXPORT Factor {
 public:
  /// Plans the factorization and allocates L. Throws UsageError if an option is wrong or the
  /// analysis was made for several ranks. Throws MemoryError if the predicted peak exceeds
  /// FactorOptions::memory_limit or the free memory.
  Factor(const Runtime& runtime, const Analysis& analysis, const FactorOptions& options = {});
  /// Waits for all submitted tasks of this factor and frees L.
  ~Factor();
  /// Takes over another factor. Afterwards that factor may only be destroyed or assigned to.
  Factor(Factor&&) noexcept;
  /// Gives up this factor and takes over another one, as the move constructor does.
  Factor& operator=(Factor&&) noexcept;

  /// Sets the signs of the pivots for Factorization::ldlt, which need not be known: one per row of
  /// A, each 1 or -1. For a quasi-definite matrix, they are the signs of its diagonal blocks: 1 in
  /// the positive definite block, -1 in the negative definite one. First waits for earlier tasks of
  /// this factor. There is no factor until the next factorize(). Throws UsageError if the factor
  /// has another kind of factorization, or if the number of signs or one of them is wrong. Cost
  /// O(n).
  void set_signs(std::span<const signed char> signs);

  /// Computes A = L Lᵀ or A = L J Lᵀ. Later calls reuse the memory. With
  /// Factorization::automatic, the change to L J Lᵀ computes a weighted matching of A, orders A
  /// again if the matching relates columns, and allocates L again; it throws MemoryError if this
  /// does not fit, and then the factor still tries L Lᵀ. First waits for earlier tasks
  /// of this factor, and forgets the results of earlier factorizations. Throws UsageError if the
  /// matrix has no values, if its pattern differs from the analyzed pattern, or if a regularization
  /// lacks signs, InputError if the factorization meets a value that is not finite, and MemoryError
  /// or RuntimeFailure if a device failed. After an exception, or if a pivot is not as expected,
  /// there is no factor until the next success. With Factorization::ldlt and without signs, it may
  /// repeat the factorization with another order of the columns, if that makes solutions more
  /// accurate.
  FactorStatus factorize(const Matrix& matrix);
  /// Solves A X = B for `count` right-hand sides of n entries each. Refines the solution while that
  /// reduces the error, and always computes the error. Throws UsageError before a successful
  /// factorize(), if b has another size, or if an option is wrong. Throws MemoryError if the
  /// solution does not fit. Cost: for each block of up to 64 right-hand sides, one pass over L
  /// forward and one backward. Blocks are smaller if memory is short.
  Solution solve(std::span<const double> b, Index count = 1, const SolveOptions& options = {});
  /// Solves into an array of the caller. Errors and cost are those of the first overload. If an
  /// exception is thrown, the content of x is undefined.
  ///
  /// \param b Right-hand sides of n entries each, one after another.
  /// \param x Solutions, in an array of the size of b. It may be b, at the cost of a copy of b.
  /// \param count Number of right-hand sides.
  /// \param options Options of the solve.
  /// \return A Solution whose x is empty.
  Solution solve(std::span<const double> b, std::span<double> x, Index count = 1,
                 const SolveOptions& options = {});
  /// Solves for right-hand sides that blocks.read() provides, and passes the solutions to
  /// blocks.write(), block by block. Returns a Solution whose x is empty. Errors and cost are those
  /// of the first overload.
  Solution solve(Index count, const VectorBlocks& blocks, const SolveOptions& options = {});

  /// Submits the tasks of factorize() and returns without waiting. StarPU must not be paused. The
  /// factor shares the content of the matrix until wait(). If earlier tasks of this factor are
  /// pending, the call first waits for them. Throws the UsageErrors of factorize(), and UsageError
  /// with Factorization::automatic.
  void submit_factorize(const Matrix& matrix);
  /// Submits the tasks of one solve without refinement. They run after all tasks submitted before.
  /// b and x, which may be the same array, must live until wait(). If the tasks of an earlier solve
  /// are pending, the call first waits for them. It also waits for a factorization with values in a
  /// handle that chooses its pivots. Throws UsageError before a submit_factorize() or factorize(),
  /// or if b or x has a wrong size.
  void submit_solve(std::span<const double> b, std::span<double> x, Index count = 1);
  /// Waits for all tasks submitted to this factor, and for no others. Then it may repeat the
  /// factorization as factorize() does; solves submitted before use the first one. Returns the
  /// result of the
  /// first factorization that failed since the last wait() or factorize(), or else success. There
  /// is a factor afterwards if the last factorization succeeded. Throws InputError if a value of
  /// the first one that failed is not finite, and MemoryError or RuntimeFailure if a device failed.
  FactorStatus wait();

  /// Applies one step of a solve, or all steps without refinement, to `count` vectors. Throws
  /// UsageError before a successful factorize(), or if a size or a distance is wrong. Throws
  /// MemoryError if the workspace of the solve does not fit. Cost: one pass over L per triangle and
  /// block of 64 vectors, and one pass over the vectors for P.
  ///
  /// \param system Step to apply.
  /// \param b Right-hand sides.
  /// \param x Results. It may be b if ldb and ldx are equal. Otherwise b and x must not overlap.
  /// \param count Number of vectors.
  /// \param ldb Distance between the first entries of consecutive vectors of b; 0 stands for n.
  /// \param ldx Distance between the first entries of consecutive vectors of x; 0 stands for n.
  void solve_part(System system, std::span<const double> b, std::span<double> x, Index count = 1,
                  Count ldb = 0, Count ldx = 0);
  /// Returns the permutation of the analysis: see Analysis::permutation(). It needs no
  /// factorization. A factorization that chooses its pivots may change it; the result is valid
  /// until the next factorization.
  std::span<const Index> permutation() const;
  /// Returns the diagonal of L, in the order of L: entry k belongs to column permutation()[k] of A.
  /// Waits for all submitted tasks. Throws UsageError before a successful factorize(), and if the
  /// factorization chose its pivots, because L then is not a triangle. Cost O(n).
  std::vector<double> diagonal() const;
  /// Returns the numbers of positive and negative eigenvalues of A, which are the numbers of signs.
  /// They are uncertain if the regularization changed A. They are also uncertain unless rounding
  /// errors, and pivots that were replaced because none was large enough, are too small to make A
  /// singular: 2.2e-16 n ‖R A⁻¹ R‖₁ <= 0.1, where R has the norms of
  /// the rows of L on its diagonal. The norm is estimated. A factorization that chooses its pivots
  /// also counts zero eigenvalues: pivots that are zero except for rounding errors. The numbers are
  /// then uncertain. Waits for all submitted tasks. Throws UsageError before a successful
  /// factorize(). Cost: one pass over L and seven solves.
  Inertia inertia() const;
  /// Returns the numbers of inertia(), but does not examine whether they are exact, so that the
  /// status is always uncertain. Waits and throws as inertia() does. Cost O(n).
  Inertia pivot_counts() const;
  /// Returns the growth of the factorization: the largest sum of squares of a row of L over the
  /// largest |a_ij|. It is about 1 for L Lᵀ. Rounding errors of the factorization change A by about
  /// the growth times the machine precision, relative to its largest entry. See Higham, "Accuracy
  /// and Stability of Numerical Algorithms", 2002, chapter 11. Waits and throws as inertia() does.
  /// Cost O(entries of L) with Factorization::ldlt.
  double growth() const;
  /// Returns the columns of A whose pivots were replaced, ascending: by the regularization, or
  /// because a factorization that chooses its pivots found no larger ones. Waits and throws
  /// as inertia() does. Cost O(n).
  std::vector<Index> replaced_pivots() const;
  /// Returns a column of A that shows that A is singular to rounding, or -1. A factorization that
  /// chooses its pivots also succeeds for a singular A. Then pivots were zero except for rounding
  /// errors, or pivots were replaced, and GMRES finds no x for which A x is close to a random
  /// vector. The column is one of replaced_pivots(). With other factorizations, the result is -1.
  /// Waits and throws as inertia() does. Cost: that of replaced_pivots() and, if there are such
  /// pivots, up to 41 solves and as many vectors.
  Index singular_column() const;
  /// Returns L, with or without the stored entries that are zero. Waits for all submitted
  /// tasks. Throws UsageError as diagonal() does. Cost O(entries of L).
  LowerFactor lower(ExplicitZeros zeros = ExplicitZeros::dropped) const;
  /// Returns the determinant of A, with the pivots of replaced_pivots() instead of those of A. It
  /// is 0 if pivots are zero except for rounding errors. Waits for all submitted tasks. Throws
  /// UsageError before a successful factorize(). Cost O(n).
  Determinant determinant() const;
  /// Returns the natural logarithm of the magnitude of determinant(), which never overflows. Waits
  /// for all submitted tasks. Throws UsageError before a successful factorize(). Cost O(n).
  double log_determinant() const;

  /// Returns a report of the analysis, the factorizations and the solves of this factor.
  Report report() const;
  /// Returns the place and time of each task of the last factorization. The schedule is empty
  /// before the first factorization and after one that failed. Do not call it during a
  /// factorization.
  Schedule schedule() const;

 private:
  friend struct internal::Internals;
  std::unique_ptr<internal::FactorData> data_;
};

/// Returns the report as a JSON object whose members have the names of the fields.
ESPALIER_EXPORT std::string to_json(const Report& report);

/// Returns an HTML page, which is also XML and needs no other file. It shows the matrix, the times
/// and the memory of the report. If the schedule has tasks, it also shows when and where they ran.
/// Cost O(tasks).
ESPALIER_EXPORT std::string to_html(const Report& report, const Schedule& schedule);

/// Returns the version of the library as "major.minor.patch".
ESPALIER_EXPORT const char* version();

}  // namespace espalier
