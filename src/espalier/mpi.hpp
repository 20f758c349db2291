// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/espalier.hpp"

/// \file
/// The solver for several ranks that factor one matrix together.
///
/// Functions marked "Collective" must be called by all ranks of the communicator, in the same
/// order. If one rank throws an exception, all ranks throw it. Rank 0 is the root. It provides the
/// right-hand sides and, unless the matrix is distributed, the matrix. It receives the solution. If
/// a rank dies or is stopped, the other ranks wait for it until the launcher ends them.

namespace espalier::internal {
struct DistributedFactorData;
struct DistributedMatrixData;
struct RanksData;
}  // namespace espalier::internal

namespace espalier {

/// The ranks of a communicator, each with a private StarPU or with the StarPU of the application.
///
/// A private StarPU uses the cores to which mpirun or a batch system bound the rank. If the rank is
/// not bound, StarPU uses the rank's share of the cores of the machine. StarPU-MPI moves data
/// between ranks. Its progress thread takes one core per rank, so that a rank has one worker fewer
/// unless the options set their number.
///
/// With few cores it is best to let one worker do the work of the progress thread. The environment
/// variables STARPU_MPI_DRIVER_CALL_FREQUENCY=4 and STARPU_MPI_DRIVER_TASK_FREQUENCY=1 do this. The
/// program `espalier` sets them for ranks with fewer than 16 cores.
///
/// Workers and progress threads that wait sleep for up to 0.2 ms at a time, so that other threads
/// get their cores. A separate progress thread sleeps only if StarPU was built with
/// tools/starpu/starpu-mpi-polling-hook.patch.
///
/// If MPI is CUDA-aware, data go from device to device without a copy on the host. The environment
/// variable STARPU_MPI_GPUDIRECT=0 switches these direct transfers off.
class ESPALIER_EXPORT Ranks {
 public:
  /// Duplicates the communicator and starts StarPU on each rank. The options may differ from rank
  /// to rank. Throws UsageError if MPI was not initialised with MPI_THREAD_MULTIPLE. Also throws
  /// the exceptions of the constructor of Runtime. Collective.
  explicit Ranks(MPI_Comm comm, const RuntimeOptions& options = {});
  /// Returns ranks that use the StarPU and the StarPU-MPI of the application. The application
  /// starts them by starpu_mpi_init_conf, or by starpu_init and then starpu_mpi_init_comm. Espalier
  /// does not pause, restart or shut them down; they must run, not paused, as long as the ranks
  /// live. StarPU-MPI must have been started with `comm`. Espalier's messages in `comm` have tags
  /// from 2^62 on. Throws UsageError if StarPU or StarPU-MPI does not run, or if MPI was not
  /// initialised with MPI_THREAD_MULTIPLE. Collective.
  static Ranks inside_application(MPI_Comm comm);
  /// Shuts down a private StarPU and frees the duplicate of the communicator. MPI must still run.
  /// Collective.
  ~Ranks();
  /// Takes over other ranks. Afterwards those may only be destroyed or assigned to.
  Ranks(Ranks&&) noexcept;
  /// Gives up these ranks and takes over others, as the move constructor does.
  Ranks& operator=(Ranks&&) noexcept;

  /// Returns the number of this rank, counted from 0.
  Index rank() const;
  /// Returns the number of ranks.
  Index size() const;
  /// Returns whether this is rank 0.
  bool is_root() const { return rank() == 0; }
  /// Returns the number of CPU workers of this rank.
  Index cpu_workers() const;

 private:
  friend struct internal::Internals;
  explicit Ranks(std::unique_ptr<internal::RanksData> data);
  std::unique_ptr<internal::RanksData> data_;
};

/// A symmetric matrix whose columns are divided among the ranks in any way. No rank has all values.
/// Copies are cheap: they share the content.
class ESPALIER_EXPORT DistributedMatrix {
 public:
  /// Reads one file per rank, with the columns of that rank. If `file` is A.mtx, the files are
  /// A.0.mtx, A.1.mtx and so on. Each is a symmetric Matrix Market file with the size of the whole
  /// matrix. Throws InputError if a file is missing or does not fit the others. Collective.
  DistributedMatrix(const Ranks& ranks, const std::string& file);
  /// Makes an n-by-n matrix from the entries that each rank provides. Duplicates are summed. Throws
  /// InputError if the entries break the rules below. Collective.
  ///
  /// \param ranks Ranks that share the matrix.
  /// \param n Number of rows and of columns of the whole matrix.
  /// \param row Row of each entry of this rank, counted from 0. All entries are in one triangle.
  /// \param column Column of each entry, counted from 0. All entries of a column are on one rank.
  /// \param value Value of each entry.
  DistributedMatrix(const Ranks& ranks, Index n, std::span<const Index> row,
                    std::span<const Index> column, std::span<const double> value);

  /// Returns n, the number of rows and of columns of the whole matrix.
  Index size() const;
  /// Returns the pattern of the whole matrix, without values, on the root, and null on other ranks.
  /// The root analyzes this pattern. The pattern lives as long as the matrix or a copy of it.
  const Matrix* pattern() const;
  /// Returns A (1, ..., 1) on the root, and nothing on other ranks. Collective on the ranks of the
  /// matrix.
  std::vector<double> row_sums(const Ranks& ranks) const;

 private:
  friend struct internal::Internals;
  std::shared_ptr<const internal::DistributedMatrixData> data_;
};

/// Analyzes the matrix of the root. Returns the analysis on the root, and nothing on other ranks.
/// The other ranks pass a null pointer. Only the options of the root count. With the ordering
/// "ptscotch", all ranks order together, each with a part of the graph.
///
/// The analysis has only the sizes of the structure, because each rank finds the rows of its part
/// of L itself. So it serves only a DistributedFactor. Its report has no plan.
/// Analysis::permutation() and Analysis::task_time_histogram() throw UsageError.
///
/// Throws UsageError unless the root, and no other rank, gives a matrix. Also throws the exceptions
/// of the constructor of Analysis. Collective.
ESPALIER_EXPORT std::optional<Analysis> analyze(const Ranks& ranks, const Matrix* matrix,
                                                const AnalysisOptions& options = {});
/// Analyzes a distributed matrix, with the results and errors of the first overload. With the
/// ordering "ptscotch", each rank finds its part of the graph in its columns. With
/// AnalysisOptions::matching, the root gathers the values of the matrix during the analysis.
/// Collective.
ESPALIER_EXPORT std::optional<Analysis> analyze(const Ranks& ranks, const DistributedMatrix& matrix,
                                                const AnalysisOptions& options = {});

/// The factor L in the memory of the ranks, with the tasks that compute it. The ranks must outlive
/// it. If only the root provides an argument, the other ranks pass null or an empty value.
class ESPALIER_EXPORT DistributedFactor {
 public:
  /// Divides the analysis of the root among the ranks and allocates L. Only the options of the root
  /// count. Throws UsageError if an option is wrong, or unless the root, and no other rank, gives
  /// an analysis. Throws MemoryError if the predicted peak of a rank exceeds
  /// FactorOptions::memory_limit or its free memory. Collective.
  DistributedFactor(const Ranks& ranks, const Analysis* analysis,
                    const FactorOptions& options = {});
  /// Frees L. Collective.
  ~DistributedFactor();
  /// Takes over another factor. Afterwards that factor may only be destroyed or assigned to.
  DistributedFactor(DistributedFactor&&) noexcept;
  /// Gives up this factor and takes over another one, as the move constructor does.
  DistributedFactor& operator=(DistributedFactor&&) noexcept;

  /// Sets the signs of the pivots for Factorization::ldlt, as Factor::set_signs() does. Only the
  /// root provides them. Without them, the factorization chooses its pivots as in one process. If
  /// it has to delay some, the ranks divide the matrix again. Throws the same errors on all ranks,
  /// and MemoryError if L does not fit in the order before any delay. Collective.
  void set_signs(std::span<const signed char> signs);
  /// Computes A = L Lᵀ or A = L J Lᵀ and returns the same status on all ranks. Later calls
  /// reuse the memory. With Factorization::automatic, all ranks change to L J Lᵀ together, and with
  /// Factorization::ldlt and without signs, they may repeat the factorization together, as
  /// Factor::factorize() does. Only the root provides a matrix. Throws UsageError if the matrix has
  /// no values or if its pattern differs from the analyzed pattern, InputError if a value is not
  /// finite, and MemoryError or RuntimeFailure if a device failed. Collective.
  FactorStatus factorize(const Matrix* matrix);
  /// Factorizes a matrix that the caller hands over. If nothing else uses the matrix, its memory is
  /// freed when all ranks have their parts, before the ranks compute L. But if L Lᵀ may fail with
  /// Factorization::automatic, or if the factorization chooses its pivots, it is freed at the end.
  /// Only the root provides a matrix. Result and errors are those of the first overload.
  /// Collective.
  FactorStatus factorize(std::optional<Matrix> matrix);
  /// Factorizes a distributed matrix. Values are sent from the ranks that have them to the ranks
  /// that need them. Result and errors are those of the first overload. Collective.
  FactorStatus factorize(const DistributedMatrix& matrix);
  /// Factorizes a distributed matrix that the caller hands over. If nothing else uses the matrix,
  /// its memory is freed as by the overload for a matrix of the root. Result and errors are those
  /// of the first overload. Collective.
  FactorStatus factorize(DistributedMatrix&& matrix);
  /// Solves A X = B for `count` right-hand sides of n entries each. Refines the solution while that
  /// reduces the error. Only the root provides b and receives x; all ranks receive the error. The
  /// solve works on as many vectors at once as the memory of every rank allows. Throws UsageError
  /// before a successful factorize(), if b has another size, or if an option is wrong. Throws
  /// MemoryError if the workspace for one right-hand side does not fit. Collective.
  Solution solve(std::span<const double> b, Index count = 1, const SolveOptions& options = {});
  /// Solves for vectors that the caller hands over, so that the root keeps either b or x in memory,
  /// but not both. Results and errors are those of the first overload. Collective.
  Solution solve(std::vector<double>&& b, Index count, const SolveOptions& options);
  /// Returns the numbers of eigenvalues by their signs, as Factor::inertia() does, on all ranks.
  /// Throws UsageError before a successful factorize(). Cost: one pass over L and seven solves.
  /// Collective.
  Inertia inertia() const;
  /// Returns a column of A that shows that A is singular to rounding, or -1, as
  /// Factor::singular_column() does, on all ranks. Throws and costs as that function. Collective.
  Index singular_column() const;
  /// Returns the determinant of A, as Factor::determinant() does, on all ranks. Throws UsageError
  /// before a successful factorize(). Cost O(n). Collective.
  Determinant determinant() const;
  /// Returns the natural logarithm of the magnitude of determinant(), which never overflows, on all
  /// ranks. Throws and costs as determinant(). Collective.
  double log_determinant() const;
  /// Returns the report of all ranks together on the root, and an empty report on other ranks.
  /// Collective.
  Report report() const;
  /// Returns the last factorization of all ranks, task by task, on the root, and an empty schedule
  /// on other ranks. It is empty on all ranks before the first factorization, and after one that
  /// failed or had its values in handles (espalier/starpu_mpi.hpp). Messages compare the clocks of
  /// different machines; in most networks the result is accurate to some microseconds. Collective.
  Schedule schedule() const;

 private:
  friend struct internal::Internals;
  std::unique_ptr<internal::DistributedFactorData> data_;
};

}  // namespace espalier
