// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <string>
#include <utility>

#include "base/scalar.hpp"
#include "distributed/data.hpp"
#include "distributed/factor_data.hpp"
#include "espalier/starpu_mpi.hpp"
#include "runtime/starpu/application_data.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/blocked_solve.hpp"

namespace espalier::internal {

void DistributedFactorData::settle() {
  if (!std::exchange(is_on_handles, false)) return;
  state.numeric->wait();
  state.bad_column = log.last.status.bad_column;
  state.factored = false;
  agree(ranks.comm, [&] { expect_devices_did_well(state.numeric->device_budget()); });
  state.factored = log.last.ok();
}

void DistributedFactorData::forget_handles() {
  state.numeric->wait();
  is_on_handles = false;
  log = {};
}

void DistributedFactorData::expect_values_of(std::shared_ptr<const DistributedMatrixData> given) {
  if (values && values->matrix() == given) return;
  agree(ranks.comm, [&] {
    if (ranks.comm.is_root()) pattern->expect(*Internals::data(*given->pattern).pattern);
  });
  state.numeric->wait();  // tasks may use the buffers of the previous matrix
  values.reset();
  ValueRoutes of_given = distribution.routes_from(given->part);
  agree(ranks.comm, [&] {
    values.emplace(ranks.comm, *state.numeric, std::move(given), std::move(of_given));
    if (!agreement) agreement.emplace(ranks.comm, *state.numeric);
  });
}

SharedStatus DistributedFactorData::status_of_rank() const {
  SharedStatus own = of_values;
  if (state.numeric->context().has_failed()) own.failed = 1;
  const Index failed = state.numeric->failed_column();
  if (failed >= 0) {
    own.column_of_l = distribution.part().structure.column[failed];
    own.column_of_a = distribution.part().original[failed];
  }
  return own;
}

void DistributedFactorData::submit_factorize(starpu_data_handle_t given) {
  state.norm = -1;
  state.factored = false;
  seconds = 0;
  is_on_handles = true;
  values->submit(given);
  state.numeric->submit_factorize(
      values->received(), [this](std::span<const ApplicationView> views) -> const double* {
        log.open();
        of_values = values->take(views, distribution.memory_of_values());
        return of_values.failed > 0 ? nullptr : distribution.values().data();
      });
  agreement->submit([this] { return status_of_rank(); },
                    [this](const SharedStatus& common) {
                      if (common.failed > 0) state.numeric->context().failure.report_elsewhere();
                      log.close(common.outcome());
                    });
  state.factored = true;
}

namespace {

/// Throws UsageError unless the handle has the rows and columns of this rank. A rank without rows
/// may pass null.
void expect_handle_of_rank(const Communicator& comm, starpu_data_handle_t handle,
                           const std::string& name, Count rows, Index columns) {
  if (rows == 0 && handle == nullptr) return;
  const std::string of_rank = name + " of rank " + std::to_string(comm.rank());
  expect_handle(handle, {of_rank.c_str(), rows, columns});
}

void expect_ranks_inside_application(const FactorState& state) {
  if (state.starpu->is_of_application()) return;
  throw UsageError(
      "a factor takes handles only in the StarPU of the application; start StarPU-MPI by "
      "starpu_mpi_init_conf() and make the factor with Ranks::inside_application()");
}

Count given_entries(const DistributedMatrixData& matrix) {
  return matrix.position.empty() ? std::ssize(matrix.part.entry) : std::ssize(matrix.position);
}

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

std::vector<Index> rows_of_rank(const DistributedFactor& factor) {
  const DistributedFactorData& data = Internals::data(factor);
  std::vector<Index> rows;
  for (const Index j : data.vectors.kept()) rows.push_back(data.distribution.part().original[j]);
  return rows;
}

void submit_factorize(DistributedFactor& factor, const DistributedMatrix& matrix,
                      DataHandle values) {
  DistributedFactorData& data = Internals::data(factor);
  const std::shared_ptr<const DistributedMatrixData> given = Internals::shared(matrix);
  const Count entries = given_entries(*given);
  agree(data.ranks.comm, [&] {
    expect_ranks_inside_application(data.state);
    expect_one_kind(data.state);
    if (data.state.options.factorization == Factorization::ldlt) {
      throw UsageError(
          "factorization=ldlt does not take handles on several ranks; use factorize()");
    }
    expect_handle_of_rank(data.ranks.comm, values, "the values", entries, 1);
  });
  data.expect_values_of(given);
  data.submit_factorize(entries > 0 ? values : nullptr);
}

void submit_solve(DistributedFactor& factor, DataHandle b, DataHandle x, Index count) {
  DistributedFactorData& data = Internals::data(factor);
  const Communicator& comm = data.ranks.comm;
  const std::span<const Index> rows = data.vectors.kept();
  agree(comm, [&] {
    expect_ranks_inside_application(data.state);
    expect_factor(data.state);
    if (count < 1)
      throw UsageError("count is " + std::to_string(count) + "; it must be at least 1");
    expect_handle_of_rank(comm, b, "b", std::ssize(rows), count);
    expect_handle_of_rank(comm, x, "x", std::ssize(rows), count);
  });
  const auto bytes = [&](Index columns) {
    return scalar.bytes_of(static_cast<Count>(data.vectors.entries(columns)));
  };
  const RankSystem system(comm, *data.state.numeric, *data.matrix, data.vectors);
  const Index most = columns_in_memory(data.state, system, {count, bytes});
  const auto submit = [&](Index first, Index columns) {
    const DataHandle from = rows.empty() ? nullptr : b;
    const DataHandle to = rows.empty() ? nullptr : x;
    data.state.numeric->submit_solve(NumericFactor::HandleSolve{from, to, first, columns, rows});
  };
  for_each_block(count, submit, most);
  data.is_on_handles = true;
}

FactorStatus wait(DistributedFactor& factor) {
  DistributedFactorData& data = Internals::data(factor);
  data.settle();
  return data.log.take();
}

}  // namespace espalier
