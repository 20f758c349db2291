// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "distributed/factor_data.hpp"
#include "distributed/rank_system.hpp"
#include "espalier/mpi.hpp"
#include "perfmodels/phase_watch.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/data.hpp"
#include "solver/matrix.hpp"
#include "solver/pivots.hpp"

/// \file
/// Factorizations of all ranks together.

namespace espalier::internal {

namespace {

template <typename T>
T difference(const T& after, const T& before) {
  return {after.messages_sent - before.messages_sent,
          after.messages_received - before.messages_received, after.bytes_sent - before.bytes_sent,
          after.bytes_received - before.bytes_received};
}

}  // namespace

Index DistributedFactorData::column_of_a(Index column_of_l) const {
  const RankPart& part = distribution.part();
  const auto& column = part.structure.column;
  const auto shared = column.begin() + part.structure.own_columns();
  for (const auto& [begin, end] : {std::pair(column.begin(), shared), {shared, column.end()}}) {
    const auto at = std::lower_bound(begin, end, column_of_l);
    if (at != end && *at == column_of_l) return part.original[at - column.begin()];
  }
  return none;
}

template <typename Scatter>
FactorStatus DistributedFactorData::factorize(Scatter scatter) {
  const Communicator& comm = ranks.comm;
  agree(comm, [&] {
    expect_one_kind(state);
    expect_regularizable(state);
  });
  forget_handles();
  state.norm = -1;
  state.factored = false;
  seconds = 0;
  const Traffic before = ranks.engine->traffic();
  const DirectTraffic direct_before = ranks.engine->direct_traffic();
  state.numeric->recorder().reset_tally();
  watch.restart();
  const Index first_bad = [&] {
    PhaseWatch moving(state.options.record_work, ranks.starpu->cpu_workers());
    const Index column = scatter();
    moving.end_phase();
    return column;
  }();
  state.numeric->submit_factorize(values_to_factor().data());
  const Index failed = first_of_all(comm, distribution.part().structure, state.numeric->wait());
  traffic = difference(ranks.engine->traffic(), before);
  direct = difference(ranks.engine->direct_traffic(), direct_before);
  state.bad_column = -1;
  double elapsed = watch.seconds();
  comm.broadcast(elapsed);
  if (failed >= 0) {
    const bool ldlt = state.options.factorization == Factorization::ldlt;
    const Index bad = ldlt ? none : first_bad;  // of A = L Lᵀ
    const auto all = comm.gather_from_all(std::min(column_of_a(failed), bad));
    state.bad_column = *std::min_element(all.begin(), all.end());
    return {state.bad_column};
  }
  agree(comm, [&] { expect_devices_did_well(state.numeric->device_budget()); });
  state.factored = true;
  seconds = elapsed;
  state.numeric->recorder().add_run_to(state.history, elapsed);
  return {};
}

FactorStatus DistributedFactorData::factorize(std::shared_ptr<const DistributedMatrixData> given,
                                              bool give_up) {
  agree(ranks.comm, [&] {
    if (ranks.comm.is_root()) pattern->expect(*Internals::data(*given->pattern).pattern);
  });
  if (routed.lock() != given) routes.emplace(distribution.routes_from(given->part));
  routed = given;
  return factorize([&] {
    const Index first_bad = first_bad_diagonal(ranks.comm, given->part);
    distribution.scatter(*routes, given->part);
    given.reset();
    if (give_up) {
      routes.reset();
      return_freed_memory();
    }
    return first_bad;
  });
}

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

FactorStatus DistributedFactor::factorize(const Matrix* matrix) {
  return factorize(matrix != nullptr ? std::optional(*matrix) : std::nullopt);
}

FactorStatus DistributedFactor::factorize(std::optional<Matrix> matrix) {
  DistributedFactorData& d = *data_;
  const bool root = d.ranks.comm.is_root();
  agree(d.ranks.comm, [&] {
    if (!root) return;
    if (!matrix) throw UsageError("pass the matrix to factor on rank 0");
    d.pattern->expect_analyzed(*matrix);
    check_values({*Internals::data(*matrix).pattern, matrix->values()});
  });
  return d.factorize([&] {
    if (!root) return d.distribution.scatter(nullptr), DistributedFactorData::none;
    const SparseMatrixView view(*Internals::data(*matrix).pattern, matrix->values());
    const Index first_bad = first_bad_diagonal(view.pattern, view.value);
    d.distribution.scatter(&view);
    matrix.reset();
    return_freed_memory();
    return first_bad;
  });
}

FactorStatus DistributedFactor::factorize(const DistributedMatrix& matrix) {
  return data_->factorize(Internals::shared(matrix), false);
}

FactorStatus DistributedFactor::factorize(DistributedMatrix&& matrix) {
  auto given = Internals::shared(matrix);
  { const DistributedMatrix emptied = std::move(matrix); }
  return data_->factorize(std::move(given), true);
}

}  // namespace espalier
