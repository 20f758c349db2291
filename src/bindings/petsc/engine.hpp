// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "bindings/petsc/rows.hpp"
#include "espalier/bindings.hpp"

namespace espalier::internal {

/// Vectors in an application's arrays: this process's rows of each, one vector each `ldb` or `ldx`
/// entries.
struct LocalVectors {
  Index count = 1;
  const double* b = nullptr;
  Count ldb = 0;
  double* x = nullptr;
  Count ldx = 0;
};

/// An Engine factors matrices of one pattern, by one process or by the ranks of a communicator.
/// All functions are collective, and throw on all ranks what they throw on one.
class Engine {
 public:
  virtual ~Engine() = default;

  /// Analyzes the pattern, as read_upper_pattern() has it.
  virtual void analyze(UpperRows&& rows) = 0;
  /// Factors a matrix with the same pattern; the memory is taken by the first call.
  virtual FactorStatus factorize(UpperRows&& rows) = 0;
  /// Does the same for the values of a seqaij, where this engine can, and returns whether it could:
  /// it cannot where the matrix has other entries than the pattern.
  virtual bool factorize(const WholeRows& /*rows*/, FactorStatus& /*status*/) { return false; }
  /// Solves with refinement, and returns the backward error.
  virtual double solve(const LocalVectors& vectors) = 0;
  /// What is known after factorize(); complete on rank 0 alone.
  virtual Report report() const = 0;
  /// The entries of L, on all ranks.
  virtual Count factor_entries() const = 0;
};

/// Returns an engine that shares the StarPU of this process with all others.
std::unique_ptr<Engine> local_engine(const Options& options);

/// Returns an engine of all ranks of the communicator, which share StarPU with the other engines
/// of these ranks. Throws UsageError where MPI does not let all threads call it.
std::unique_ptr<Engine> rank_engine(MPI_Comm comm, const Options& options);

}  // namespace espalier::internal
