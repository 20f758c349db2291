// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "distributed/factor_data.hpp"
#include "distributed/rank_delays.hpp"
#include "distributed/rank_system.hpp"
#include "espalier/mpi.hpp"
#include "perfmodels/phase_watch.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/automatic_factorization.hpp"
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
    allocated(state);
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
  return {};
}

bool DistributedFactorData::may_repeat() const { return tries_llt(state) || chooses_pivots(state); }

FactorStatus DistributedFactorData::factorize(std::optional<Matrix>& given) {
  return factorize([&] {
    if (!ranks.comm.is_root()) return distribution.scatter(nullptr), none;
    const SparseMatrixView view(*Internals::data(*given).pattern, given->values());
    const Index first_bad = first_bad_diagonal(view.pattern, view.value);
    distribution.scatter(&view);
    if (!may_repeat()) given.reset();
    return_freed_memory();
    return first_bad;
  });
}

FactorStatus DistributedFactorData::factorize(std::shared_ptr<const DistributedMatrixData>& given,
                                              bool give_up) {
  if (routed.lock() != given) routes.emplace(distribution.routes_from(given->part));
  routed = given;
  return factorize([&] {
    const Index first_bad = first_bad_diagonal(ranks.comm, given->part);
    distribution.scatter(*routes, given->part);
    if (give_up && !may_repeat()) {
      given.reset();
      routes.reset();
      return_freed_memory();
    }
    return first_bad;
  });
}

namespace {

/// Makes all later factorizations A = L J Lᵀ, as the function for one process does. Only the root
/// provides a matrix and the time. Throws MemoryError, and the factor then still tries L Lᵀ, unless
/// the memory is short although it was predicted to suffice. Collective.
void turn_to_ldlt(std::unique_ptr<DistributedFactorData>& data, const Matrix* matrix,
                  double attempt_seconds) {
  const RanksData& ranks = data->ranks;
  auto analysis =
      agree(ranks.comm, [&] { return data->known ? matched(data->known, *matrix) : nullptr; });
  PhaseWatch watch(data->requested.record_work, ranks.starpu->cpu_workers());
  replace_factor(data, std::move(analysis));
  data->state.setup.seconds += watch.end_phase().seconds;
  data->state.history.forget_runs();
  ranks.comm.broadcast(attempt_seconds);
  data->attempt_seconds = attempt_seconds;
}

/// Factorizes once, delays pivots if that is needed, and adds the time to the history after a
/// success. The watch was started when this began. Collective.
FactorStatus factorize_once(std::unique_ptr<DistributedFactorData>& data, const Stopwatch& watch,
                            const FactorizeOnRanks& factorize) {
  FactorStatus status = factorize(*data);
  if (!status.ok()) return status;
  double elapsed = data->seconds;
  if (const std::optional<FactorStatus> repeated = delay_pivots(data, factorize)) {
    status = *repeated;
    elapsed = watch.seconds();
    data->ranks.comm.broadcast(elapsed);
  }
  if (status.ok()) data->state.numeric->recorder().add_run_to(data->state.history, elapsed);
  return status;
}

/// Factorizes a distributed matrix. If `give_up` is true, frees it as soon as the ranks have their
/// values and need no other factorization of it. Collective.
FactorStatus factorize_parts(std::unique_ptr<DistributedFactorData>& data,
                             std::shared_ptr<const DistributedMatrixData> given, bool give_up) {
  const Stopwatch watch;
  const Communicator& comm = data->ranks.comm;
  agree(comm, [&] {
    if (comm.is_root()) data->pattern->expect(*Internals::data(*given->pattern).pattern);
  });
  const auto factorize = [&](DistributedFactorData& now) { return now.factorize(given, give_up); };
  const FactorStatus status = factorize_by_steps(
      data->state, watch,
      {[&] { return first_bad_diagonal(comm, given->part) < given->part.n; },
       [&](const Stopwatch& begun) { return factorize_once(data, begun, factorize); },
       [&](double attempt_seconds) {
         const std::optional<Matrix> whole = gathered(comm, *given);
         turn_to_ldlt(data, whole ? &*whole : nullptr, attempt_seconds);
       }});
  if (give_up) data->routes.reset();
  return status;
}

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

FactorStatus DistributedFactor::factorize(const Matrix* matrix) {
  return factorize(matrix != nullptr ? std::optional(*matrix) : std::nullopt);
}

FactorStatus DistributedFactor::factorize(std::optional<Matrix> matrix) {
  const Stopwatch watch;
  const Communicator& comm = data_->ranks.comm;
  agree(comm, [&] {
    if (!comm.is_root()) return;
    if (!matrix) throw UsageError("pass the matrix to factor on rank 0");
    data_->pattern->expect_analyzed(*matrix);
    check_values({*Internals::data(*matrix).pattern, matrix->values()});
  });
  const auto factorize = [&](DistributedFactorData& now) { return now.factorize(matrix); };
  return factorize_by_steps(
      data_->state, watch,
      {[&] {
         bool bad = comm.is_root() && has_bad_diagonal(*matrix);
         comm.broadcast(bad);
         return bad;
       },
       [&](const Stopwatch& begun) { return factorize_once(data_, begun, factorize); },
       [&](double attempt_seconds) {
         turn_to_ldlt(data_, comm.is_root() ? &*matrix : nullptr, attempt_seconds);
       }});
}

FactorStatus DistributedFactor::factorize(const DistributedMatrix& matrix) {
  return factorize_parts(data_, Internals::shared(matrix), false);
}

FactorStatus DistributedFactor::factorize(DistributedMatrix&& matrix) {
  auto given = Internals::shared(matrix);
  { const DistributedMatrix emptied = std::move(matrix); }
  return factorize_parts(data_, std::move(given), true);
}

}  // namespace espalier
