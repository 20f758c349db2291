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
/// This header has what several ranks need to factor one matrix together. All ranks of the
/// communicator call each constructor and each function here, in the same order, but for those that
/// only look: they are collective. What one rank throws, all throw. Rank 0, the root, gives the
/// matrix, unless that is distributed, and the vectors, and gets the solution. A rank that dies or
/// is stopped can tell nobody, and the others wait for it until the launcher ends them.

namespace espalier::internal {
struct DistributedFactorData;
struct DistributedMatrixData;
struct RanksData;
}  // namespace espalier::internal

namespace espalier {

/// Ranks are those of a communicator, each with a private StarPU, or the one that the application
/// runs. A private one is on the cores that mpirun or a batch system bound the rank to, or on its
/// share of those of the machine. StarPU-MPI moves data between ranks. Its progress thread takes a
/// core of each, which has a worker less for it unless the options say how many. Where the
/// environment has STARPU_MPI_DRIVER_CALL_FREQUENCY=4 and STARPU_MPI_DRIVER_TASK_FREQUENCY=1, as
/// the program `espalier` sets them for ranks with fewer than 16 cores, it is one of the workers
/// instead: the best choice for few cores. Workers and progress threads that wait sleep for up to
/// 0.2 ms at a time, so that other threads get their cores; a progress thread of its own does so
/// only in a StarPU with tools/starpu/starpu-mpi-polling-hook.patch. Where MPI knows the memory of
/// CUDA devices, data go from device to device without the host; STARPU_MPI_GPUDIRECT=0 in the
/// environment switches that off.
class ESPALIER_EXPORT Ranks {
 public:
  /// Duplicates the communicator and starts StarPU on each rank. The options may differ from rank
  /// to rank. Throws UsageError unless MPI was initialised with MPI_THREAD_MULTIPLE, and as Runtime
  /// does. It is collective.
  explicit Ranks(MPI_Comm comm, const RuntimeOptions& options = {});
  /// Returns ranks that use the StarPU and the StarPU-MPI that the application has started, by
  /// starpu_mpi_init_conf, or by starpu_init and then starpu_mpi_init_comm. They are neither
  /// paused, restarted nor shut down, and have to run, awake, for as long as the ranks live. `comm`
  /// is the communicator that StarPU-MPI was started with; its messages with tags from 2^62 on are
  /// the ranks'. Throws UsageError where one of both does not run, and unless MPI was initialised
  /// with MPI_THREAD_MULTIPLE. It is collective.
  static Ranks inside_application(MPI_Comm comm);
  /// Shuts down a private StarPU and frees the duplicate. It is collective, and MPI has to run
  /// still.
  ~Ranks();
  /// Takes over other ranks, which may only be destroyed or assigned to after that.
  Ranks(Ranks&&) noexcept;
  /// Gives up these ranks and takes over others in the same way.
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

/// A DistributedMatrix is a symmetric matrix of which each rank has some columns, whichever
/// and however many; nobody has all values. It is cheap to copy: copies share their content.
class ESPALIER_EXPORT DistributedMatrix {
 public:
  /// Reads the file of the columns of each rank, a symmetric Matrix Market file with the size of
  /// the whole: where A.mtx is named these are A.0.mtx, A.1.mtx and so on. Throws InputError for a
  /// file that is missing or that does not fit the others. It is collective.
  DistributedMatrix(const Ranks& ranks, const std::string& file);
  /// Takes what each rank has of an n-by-n matrix: entries counted from 0, each in one triangle
  /// alone, those of a column all on one rank; `row`, `column` and `value` have one number for each
  /// entry. Duplicates are summed. Throws InputError for what is no such matrix. It is collective.
  DistributedMatrix(const Ranks& ranks, Index n, std::span<const Index> row,
                    std::span<const Index> column, std::span<const double> value);

  /// Returns n, the number of rows and of columns of the whole.
  Index size() const;
  /// Returns on the root the pattern of the whole, without values, which the root analyzes;
  /// elsewhere null. It lives as long as the matrix or a copy of it.
  const Matrix* pattern() const;
  /// Returns A (1, ..., 1) on the root, and nothing elsewhere. It is collective on the same ranks.
  std::vector<double> row_sums(const Ranks& ranks) const;

 private:
  friend struct internal::Internals;
  std::shared_ptr<const internal::DistributedMatrixData> data_;
};

/// Returns the analysis of the root's matrix on the root, and nothing elsewhere, where the matrix
/// is null. The options are the root's; with the ordering "ptscotch" all ranks order together, each
/// with a part of the graph. The analysis has sizes alone: ranks make the rows of L, each for its
/// part. So it is for a DistributedFactor, its report has no plan, and where one is asked for it
/// throws UsageError. This function throws UsageError unless the root, and no other rank, gives a
/// matrix, and as Analysis does. It is collective.
ESPALIER_EXPORT std::optional<Analysis> analyze(const Ranks& ranks, const Matrix* matrix,
                                                const AnalysisOptions& options = {});
/// Does the same for a matrix in parts. With "ptscotch" each rank finds its part of the graph in
/// the columns that it has.
ESPALIER_EXPORT std::optional<Analysis> analyze(const Ranks& ranks, const DistributedMatrix& matrix,
                                                const AnalysisOptions& options = {});

/// A DistributedFactor is L in the memory of the ranks, with the tasks that compute it. The ranks
/// have to outlive it. Where something is the root's, the others give null or nothing.
class ESPALIER_EXPORT DistributedFactor {
 public:
  /// Divides what the root has analyzed. The options are the root's. Throws UsageError for a bad
  /// option and unless the root, and no other rank, gives an analysis; MemoryError when the
  /// predicted peak of a rank passes the limit or its free memory. It is collective.
  DistributedFactor(const Ranks& ranks, const Analysis* analysis,
                    const FactorOptions& options = {});
  /// Frees L. It is collective.
  ~DistributedFactor();
  /// Takes over another factor, which may only be destroyed or assigned to after that.
  DistributedFactor(DistributedFactor&&) noexcept;
  /// Gives up this factor and takes over another one in the same way.
  DistributedFactor& operator=(DistributedFactor&&) noexcept;

  /// Computes A = L Lᵀ, for the first or another time, in the same memory. All ranks get the same
  /// status. Throws UsageError unless the root's matrix has values and the pattern that was
  /// analyzed; InputError for a value that is not finite; MemoryError or RuntimeFailure where a
  /// device failed. It is collective.
  FactorStatus factorize(const Matrix* matrix);
  /// Does the same for a matrix that nobody else needs: its memory is free once all ranks have
  /// their parts, before L takes any.
  FactorStatus factorize(std::optional<Matrix> matrix);
  /// Does the same for a matrix in parts; values go from the ranks that have them to those that
  /// need them.
  FactorStatus factorize(const DistributedMatrix& matrix);
  /// Does the same for a matrix in parts that nobody else needs, as above.
  FactorStatus factorize(DistributedMatrix&& matrix);
  /// Solves A X = B for `count` right-hand sides of n entries each, as many at once as the limit
  /// and the memory of every rank allow, and refines while that helps. The root alone gives b and
  /// gets x; all ranks get its error. Throws UsageError before a successful factorize(), for a
  /// wrong size or for a bad option, and MemoryError where there is no room for one right-hand
  /// side. It is collective.
  Solution solve(std::span<const double> b, Index count = 1, const SolveOptions& options = {});
  /// Does the same for vectors that nobody else needs: the root has no more than b or x.
  Solution solve(std::vector<double>&& b, Index count, const SolveOptions& options);
  /// Returns on the root everything that is known, of all ranks together; that of the others is
  /// empty. It is collective.
  Report report() const;
  /// Returns on the root the last factorization of all ranks, task by task; that of the others is
  /// empty, and all are before the first factorization and after one that failed. Clocks of
  /// different machines are compared by messages, to some microseconds in most networks. It is
  /// collective.
  Schedule schedule() const;

 private:
  std::unique_ptr<internal::DistributedFactorData> data_;
};

}  // namespace espalier
