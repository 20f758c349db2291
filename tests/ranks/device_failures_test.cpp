// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "codelets/cuda/functions.hpp"
#include "codelets/payload/task_payload.hpp"
#include "codelets/tasks/factorize.hpp"
#include "matrix/generators.hpp"
#include "ranks/whole.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier::internal {
namespace {

using support::Whole;

RuntimeOptions all_on_devices() {
  RuntimeOptions options{.workers = 1, .scheduler = "fanout", .cuda_devices = 1};
  for (const char* kernel : {"potrf", "trsm", "syrk", "gemm"}) {
    options.scheduler_options.push_back(std::string("threshold_") + kernel + "=0");
  }
  return options;
}

/// A pivot check fails on the device of one rank. The data that this rank sends afterwards carry
/// the failure mark, so that no other rank reports another failed pivot check.
TEST(DeviceFailures, ReachOtherRanksAsSuch) {
  if (cuda::devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  if (support::ranks_here() == 1) GTEST_SKIP() << "a rank does not send itself anything";
  support::RankRuntime here(all_on_devices());
  const Whole whole(generate_matrix("laplace3d:6"));
  const LocalStructure local = whole.part(Mapping::proportional);
  const Index first_shared = local.column[local.own_columns()];
  const LowerPattern& pattern = whole.matrix().pattern;
  std::vector<double> value = whole.matrix().value;
  value[pattern.column_begin[whole.symbolic().permutation.old_of[first_shared]]] = -1;
  NumericFactor factor(here.starpu, {local, whole.entries(local)},
                       plan_factorization(local, {.workers = 2,
                                                  .options = {.granularity = Granularity::block},
                                                  .devices = {.present = true}}),
                       false, KernelCost{}, RankExchange{here.engine, 0});
  factor.submit_factorize(value.data());
  const Index failed = factor.wait();
  EXPECT_TRUE(factor.context().failure.happened());
  const Index column = failed < 0 ? -1 : local.column[failed];
  std::vector<Index> columns(static_cast<std::size_t>(support::ranks_here()));
  MPI_Allgather(&column, 1, MPI_INT, columns.data(), 1, MPI_INT, MPI_COMM_WORLD);
  EXPECT_EQ(std::ranges::count(columns, first_shared), 1);
  EXPECT_EQ(std::ranges::count(columns, -1), support::ranks_here() - 1);
}

/// If a device skips a task because its rank has failed, it marks the data that the task would
/// write.
TEST(DeviceFailures, AreMarkedByTheDevice) {
  if (cuda::devices() == 0) GTEST_SKIP() << "this machine has no CUDA device";
  const Index rank = support::rank_here();
  const Index ranks = support::ranks_here();
  if (ranks == 1) GTEST_SKIP() << "a rank does not send itself anything";
  support::RankRuntime here(all_on_devices());
  FactorContext context;
  context.workspace = workspaces({}, here.starpu.workers());
  if (rank == 0) context.failure.report(7);
  LazyTile lazy;
  const FactorTask task{{{&context}, &lazy}, {0}};
  std::array<double, 3> value{1, 1, 0};  // a row, L, and the row of another rank
  TaskList list;
  for (double& entry : value) list.data.push_back({&entry, 1, 1, 1});
  list.append({TaskKind::factor, 1, 1, 1}, task,
              std::array{Access{0, AccessMode::read_write}, Access{1, AccessMode::read}}, 0.0F);
  const TaskPayloads payloads(list);
  list.payloads = &payloads;
  const Index previous = (rank + ranks - 1) % ranks;
  const std::array messages{
      Message{.kind = Message::Kind::send,
              .data = 0,
              .rank = (rank + 1) % ranks,
              .tag = 0,
              .before = 1},
      Message{.kind = Message::Kind::receive, .data = 2, .rank = previous, .tag = 0, .before = 1}};
  std::optional<Handles> handles(list.data);
  Completion completion;
  const Transfers transfers{messages, &here.engine, nullptr, &context.failure};
  here.starpu.resume();
  submit(list, handles->all(), completion, &transfers);
  completion.wait();
  handles.reset();
  here.starpu.pause();
  EXPECT_EQ(context.failure.happened(), rank == 0 || previous == 0);
  EXPECT_EQ(context.failure.column(), rank == 0 ? 7 : -1);
}

}  // namespace
}  // namespace espalier::internal
