// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "runtime/sample_ranks.hpp"
#include "solver/rank_factor.hpp"
#include "support/problems.hpp"

namespace espalier::support {

inline Index rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline Index ranks_here() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/// Two workers where that does not oversubscribe a small machine too much.
inline Index workers_here() { return ranks_here() <= 2 ? 2 : 1; }

/// A matrix with the structure of its factor and, computed by this rank alone, the factor.
class Whole {
 public:
  explicit Whole(SparseMatrix a)
      : matrix_(std::move(a)),
        symbolic_(support::structure_of(matrix_)),
        entries_(map_entries(matrix_.pattern, symbolic_)) {}

  const SparseMatrix& matrix() const { return matrix_; }
  const SymbolicFactor& symbolic() const { return symbolic_; }

  LocalStructure part(Mapping mapping) const {
    const std::vector<double> seconds = panel_seconds(symbolic_, KernelCost{});
    return local_structure(symbolic_, map_to_ranks(symbolic_, seconds, ranks_here(), mapping),
                           rank_here());
  }
  PanelEntries entries(const LocalStructure& local) const {
    return support::local_entries(entries_, local);
  }
  /// L by the sequential path, in the array of all panels.
  std::vector<double> factor() const {
    std::vector<double> values(symbolic_.value_begin.back());
    FactorContext context;
    context.structure = &symbolic_;
    context.entries = entries_;
    context.value = matrix_.value.data();
    context.epoch = 1;
    support::SampleWorker sample(symbolic_.n);
    const MatrixView data[] = {
        {values.data(), static_cast<Index>(values.size()), 1, std::ssize(values)}};
    SubtreeTask{{&context}, 0, symbolic_.panels()}.run(data, sample.worker);
    EXPECT_FALSE(context.failure.happened());
    return values;
  }

 private:
  SparseMatrix matrix_;
  SymbolicFactor symbolic_;
  PanelEntries entries_;
};

struct Runs {
  explicit Runs(const char* policy = "espalier")
      : starpu(RuntimeOptions{workers_here(), policy}), messenger(MPI_COMM_WORLD) {}
  StarpuInstance starpu;
  Messenger messenger;
};

}  // namespace espalier::support
