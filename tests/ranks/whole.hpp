// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "distributed/rank_system.hpp"
#include "ranks/rank_runtime.hpp"
#include "runtime/sample_ranks.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal::support {

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

/// Two workers for one or two ranks, otherwise one, so that small machines are not too
/// oversubscribed.
inline Index workers_here() { return ranks_here() <= 2 ? 2 : 1; }

/// A matrix with the structure of its factor. This rank can compute the whole factor, too.
class Whole {
 public:
  explicit Whole(SparseMatrix a)
      : matrix_(std::move(a)),
        symbolic_(support::structure_of(matrix_)),
        entries_(map_entries(matrix_.pattern, symbolic_)) {}

  const SparseMatrix& matrix() const { return matrix_; }
  const SymbolicFactor& symbolic() const { return symbolic_; }

  RankMap map(Mapping mapping) const {
    const std::vector<double> seconds = panel_seconds(symbolic_, KernelCost{});
    return map_to_ranks(symbolic_, seconds, ranks_here(), mapping);
  }
  LocalStructure part(Mapping mapping) const {
    return local_structure(symbolic_, map(mapping), rank_here());
  }
  PanelEntries entries(const LocalStructure& local) const {
    return support::local_entries(entries_, local);
  }
  /// Returns L, computed sequentially, in the array of all panels.
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

/// Calls visit(structure, plan) with this rank's part, for all mappings and these granularities.
template <class Visit>
void for_each_plan(const Whole& whole, std::initializer_list<Granularity> granularities,
                   Visit visit) {
  for (const Mapping mapping : mappings) {
    const LocalStructure local = whole.part(mapping);
    for (const Granularity granularity : granularities) {
      SCOPED_TRACE("mapping " + std::to_string(static_cast<int>(mapping)) + ", granularity " +
                   std::to_string(static_cast<int>(granularity)));
      visit(local, plan_factorization(local, {.workers = workers_here(),
                                              .options = {.granularity = granularity}}));
      if (testing::Test::HasFailure()) return;
    }
  }
}

inline Traffic traffic_since(const Traffic& before, const StarpuMpiEngine& engine) {
  const Traffic after = engine.traffic();
  return {after.messages_sent - before.messages_sent,
          after.messages_received - before.messages_received, after.bytes_sent - before.bytes_sent,
          after.bytes_received - before.bytes_received};
}

/// Runtime of a rank that runs tasks.
struct Runs : RankRuntime {
  explicit Runs(const char* policy = "espalier")
      : RankRuntime(RuntimeOptions{workers_here(), policy}) {}

  NumericFactor factor(const Whole& whole, const LocalStructure& local, FactorPlan plan) {
    return {starpu,       {local, whole.entries(local)}, std::move(plan), false,
            KernelCost{}, RankExchange{engine, pool}};
  }

  Count pool = 0;  ///< bytes of buffer space for messages
};

/// Calls visit(runs) under policies that distribute tasks in different ways.
template <class Visit>
void for_each_policy(Visit visit) {
  for (const char* policy :
       {"espalier", "eager", "lws", "fanout", "ktq", "levelset", "hlevelset"}) {
    SCOPED_TRACE(policy);
    Runs here(policy);
    visit(here);
    if (testing::Test::HasFailure()) return;
  }
}

/// Runs this rank's part of a factorization that must succeed.
inline void factorize(NumericFactor& factor, const Whole& whole) {
  factor.submit_factorize(whole.matrix().value.data());
  ASSERT_EQ(factor.wait(), -1);
}

}  // namespace espalier::internal::support
