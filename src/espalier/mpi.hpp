// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "espalier/espalier.hpp"

/// Several ranks that factor one matrix together. Every constructor and function here but those
/// that only look is collective: all ranks of the communicator call it, in the same order. What
/// one rank throws, all throw. Rank 0, the root, gives the matrix, unless that is distributed, and
/// the vectors, and gets the solution. A rank that dies or is stopped can tell nobody, and the
/// others wait for it: where the launcher does not end them, a Watchdog does.
namespace espalier {

/// The ranks of a communicator, each with a private StarPU: on the cores that mpirun or a batch
/// system bound it to, or on its share of those of the machine.
class ESPALIER_EXPORT Ranks {
 public:
  /// The communicator is duplicated. Throws UsageError unless MPI was initialised with
  /// MPI_THREAD_MULTIPLE. The options may differ from rank to rank.
  explicit Ranks(MPI_Comm comm, const RuntimeOptions& options = {});
  ~Ranks();
  Ranks(Ranks&&) noexcept;
  Ranks& operator=(Ranks&&) noexcept;

  Index rank() const;
  Index size() const;
  bool is_root() const { return rank() == 0; }
  Index cpu_workers() const;  ///< of this rank

 private:
  friend struct Internals;
  struct Data;
  std::unique_ptr<Data> data_;
};

/// A matrix of which each rank has some columns, in any numbers; nobody has all values.
class ESPALIER_EXPORT DistributedMatrix {
 public:
  /// Each rank reads the file of its columns, a symmetric Matrix Market file with the size of the
  /// whole: of A.mtx these are A.0.mtx, A.1.mtx and so on. Throws InputError for a file that is
  /// missing or that does not fit the others.
  DistributedMatrix(const Ranks& ranks, const std::string& file);
  /// From what each rank gives of an n-by-n matrix: entries counted from 0, each in one triangle
  /// alone, those of a column all on one rank. Duplicates are summed. Throws InputError.
  DistributedMatrix(const Ranks& ranks, Index n, std::span<const Index> row,
                    std::span<const Index> column, std::span<const double> value);

  Index size() const;
  /// The pattern of the whole, without values, on the root, which analyzes it; null elsewhere.
  const Matrix* pattern() const;
  /// A (1, ..., 1), on the root. Collective on the same ranks.
  std::vector<double> row_sums(const Ranks& ranks) const;

 private:
  friend struct Internals;
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// The analysis of the root's matrix, on the root; nothing elsewhere. The options are the root's;
/// with the ordering "ptscotch" all ranks order together, each with a part of the graph. It has
/// sizes alone: ranks make the rows of L, each for its part. So it is for a DistributedFactor, its
/// report has no plan, and where one is asked for it throws UsageError.
ESPALIER_EXPORT std::optional<Analysis> analyze(const Ranks& ranks, const Matrix* matrix,
                                                const AnalysisOptions& options = {});
/// The same for a matrix in parts. With "ptscotch" each rank finds its part of the graph in the
/// columns that it has.
ESPALIER_EXPORT std::optional<Analysis> analyze(const Ranks& ranks, const DistributedMatrix& matrix,
                                                const AnalysisOptions& options = {});

/// L in the memory of the ranks, with the tasks that compute it. The ranks outlive it. Where
/// something is the root's, the others give null or nothing.
class ESPALIER_EXPORT DistributedFactor {
 public:
  /// Divides what the root has analyzed. The options are the root's. Throws MemoryError when the
  /// predicted peak of a rank passes the limit.
  DistributedFactor(const Ranks& ranks, const Analysis* analysis,
                    const FactorOptions& options = {});
  ~DistributedFactor();
  DistributedFactor(DistributedFactor&&) noexcept;
  DistributedFactor& operator=(DistributedFactor&&) noexcept;

  /// Computes A = L Lᵀ, for the first or another time, in the same memory. All ranks get the same
  /// status.
  FactorStatus factorize(const Matrix* matrix);
  /// The same for a matrix that nobody else needs: its memory is free once all ranks have their
  /// parts, before L takes any.
  FactorStatus factorize(std::optional<Matrix> matrix);
  /// The same for a matrix whose pattern was analyzed; values go from the ranks that have them to
  /// those that need them.
  FactorStatus factorize(const DistributedMatrix& matrix);
  /// The same for a matrix that nobody else needs, as above.
  FactorStatus factorize(DistributedMatrix&& matrix);
  /// Solves A X = B for `count` right-hand sides stored one after another, and refines. Only the
  /// root gets x; all know its error.
  Solution solve(std::span<const double> b, Index count = 1, const SolveOptions& options = {});
  /// The same for vectors that nobody else needs: the root has no more than b or x.
  Solution solve(std::vector<double>&& b, Index count, const SolveOptions& options);
  /// Everything known, of all ranks together, on the root; that of the others is empty.
  Report report() const;
  /// The last factorization, task by task, of all ranks on the root; that of the others is empty,
  /// and all are after a factorization that failed. Clocks of different machines are compared by
  /// messages, to some microseconds in most networks.
  Schedule schedule() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Notices when a rank dies or is stopped. A thread of each rank sends signs of life to the next
/// one, so that a rank at long work is no loss, and one thread of each dead one's neighbours knows
/// of it, also while all others wait for a message that never comes.
class ESPALIER_EXPORT Watchdog {
 public:
  /// Called once at most, from the watchdog's thread, with a rank that is lost, or one that has
  /// announced the end and does not bring it about. What waits for that rank cannot be woken: the
  /// usual thing to do is to call MPI_Abort.
  using Lost = std::function<void(Index rank, bool announced)>;

  /// The communicator is duplicated. A rank that gives no sign of life for so many seconds is lost;
  /// 0 means that none ever is. Throws UsageError unless MPI was initialised with
  /// MPI_THREAD_MULTIPLE.
  Watchdog(MPI_Comm comm, Index seconds, Lost lost);
  /// Waits for all ranks, unless one is lost or ends all.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Lets the others know that this rank ends all of them, and says why. Not collective.
  void announce_end();
  /// Whether a rank has. Not collective.
  bool end_is_announced();

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace espalier
