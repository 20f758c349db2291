// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "bindings/petsc/rows.hpp"
#include "espalier/bindings.hpp"

namespace espalier::internal {

/// The rows of vectors that this process has, in arrays of the application. `ldb` and `ldx` are the
/// distances between the first entries of consecutive vectors.
struct LocalVectors {
  Index count = 1;
  const double* b = nullptr;
  Count ldb = 0;
  double* x = nullptr;
  Count ldx = 0;
};

/// Factors matrices of one pattern, by one process or by the ranks of a communicator. All functions
/// are collective: if one rank throws an exception, all ranks throw it.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Analyzes a pattern that read_upper_pattern() has read. With AnalysisOptions::matching, the
  /// rows must have values, as read_upper_rows() reads them.
  virtual void analyze(UpperRows&& rows) = 0;
  /// Factors a matrix with the same pattern. The first call allocates the memory. If the
  /// factorization chooses its pivots, FactorStatus::bad_column may be that of
  /// Factor::singular_column().
  virtual FactorStatus factorize(UpperRows&& rows) = 0;
  /// Factors a seqaij directly from its arrays, sets the status and returns true. Returns false if
  /// the engine does not support this, or if the matrix has other entries than the pattern.
  virtual bool factorize(const WholeRows& /*rows*/, FactorStatus& /*status*/) { return false; }
  /// Solves with refinement, and returns the backward error.
  virtual double solve(const LocalVectors& vectors) = 0;
  /// Returns the inertia of the last matrix, whose factorization succeeded.
  virtual Inertia inertia() const = 0;
  /// Returns the report. It is complete on rank 0 only.
  virtual Report report() const = 0;
  /// Returns the number of entries of L on all ranks together.
  virtual Count factor_entries() const = 0;
};

/// Returns an engine for one process. It shares the StarPU of the process with all other engines.
std::unique_ptr<Engine> local_engine(const Options& options);

/// Returns an engine for all ranks of the communicator. It shares StarPU with the other engines of
/// these ranks. Throws UsageError if MPI was not started with MPI_THREAD_MULTIPLE.
std::unique_ptr<Engine> rank_engine(MPI_Comm comm, const Options& options);

}  // namespace espalier::internal
