// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/starpu_mpi_engine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

#include "ranks/rank_runtime.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/submission.hpp"

namespace espalier::internal {
namespace {

struct Place {
  Place() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  int rank = 0;
  int ranks = 1;
  /// Returns the next rank in a ring.
  int next() const { return (rank + 1) % ranks; }
  int previous() const { return (rank + ranks - 1) % ranks; }
};

class EngineOnRanks : public testing::Test {
 protected:
  void send(starpu_data_handle_t data, Index rank, Index tag, const TransferOwner& owner) {
    runtime_.engine.submit({.kind = Message::Kind::send, .data = 0, .rank = rank, .tag = tag}, data,
                           0, owner);
  }
  void receive(starpu_data_handle_t data, Index rank, Index tag, const TransferOwner& owner,
               Count group_bytes = 0) {
    runtime_.engine.submit({.kind = Message::Kind::receive,
                            .data = 0,
                            .rank = rank,
                            .tag = tag,
                            .group_bytes = group_bytes},
                           data, 0, owner);
  }
  void release(starpu_data_handle_t data, const TransferOwner& owner) {
    runtime_.engine.submit({.kind = Message::Kind::release, .data = 0}, data, 0, owner);
  }

  Place here_;
  support::RankRuntime runtime_{RuntimeOptions{1, ""}};
  Completion completion_;
};

/// Sends rows of a larger array, and receives into lent memory.
TEST_F(EngineOnRanks, CarriesPartsOfColumns) {
  if (here_.ranks == 1) GTEST_SKIP() << "a rank does not send itself anything";
  constexpr Index rows = 5;
  constexpr Index columns = 700;
  constexpr Index ld = 8;
  std::vector<double> memory(Count{ld} * columns, -1.0);
  const MatrixView own{memory.data() + 2, rows, columns, ld};
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) own(i, j) = here_.rank + 10.0 * i + 100.0 * j;
  }
  const std::array<DataView, 2> views{own, MatrixView{nullptr, rows, columns, rows}};
  const Handles handles(views);
  constexpr Count bytes = Count{8} * rows * columns;
  BufferPool pool(0, {0, bytes});
  const TransferOwner owner{completion_, &pool};
  receive(handles.all()[1], here_.previous(), 3, owner, bytes);
  send(handles.all()[0], here_.next(), 3, owner);
  completion_.wait();
  ASSERT_EQ(starpu_data_acquire(handles.all()[1], STARPU_R), 0);
  const auto* const got = static_cast<const double*>(starpu_data_get_local_ptr(handles.all()[1]));
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      ASSERT_EQ(got[i + j * rows], here_.previous() + 10.0 * i + 100.0 * j);
    }
  }
  starpu_data_release(handles.all()[1]);
  release(handles.all()[1], owner);
  completion_.wait();
  EXPECT_EQ(runtime_.engine.traffic().messages_sent, 1);
  EXPECT_EQ(runtime_.engine.traffic().bytes_received, bytes);
  EXPECT_EQ(pool.most_held(), bytes);
}

/// Data are received one after another in the order of submission, even if all were sent before.
TEST_F(EngineOnRanks, KeepsToItsWindow) {
  if (here_.ranks == 1) GTEST_SKIP() << "a rank does not send itself anything";
  constexpr int messages = 20;
  double sent = here_.rank;
  std::vector<DataView> views(messages, MatrixView{nullptr, 1, 1, 1});
  views.push_back({&sent, 1, 1, 1});
  const Handles handles(views);
  BufferPool pool(2 * sizeof(double), {0, sizeof(double)});
  const TransferOwner owner{completion_, &pool};
  for (int k = 0; k < messages; ++k) send(handles.all()[messages], here_.next(), k, owner);
  for (int k = 0; k < messages; ++k) {
    receive(handles.all()[k], here_.previous(), k, owner, sizeof(double));
    release(handles.all()[k], owner);
  }
  completion_.wait();
  EXPECT_EQ(runtime_.engine.traffic().messages_received, messages);
  EXPECT_EQ(pool.most_held(), Count{2 * sizeof(double)});
}

struct CountRuns : Arguments {
  std::atomic<int>* runs = nullptr;
  void run(TaskData /*data*/, Worker& /*worker*/) const { ++*runs; }
};

/// The tasks of the second contribution, which waits for the first one, exceed the limit of
/// submitted tasks.
TEST_F(EngineOnRanks, IsHandedTasksWhileContributionsWait) {
  FactorContext context;
  context.workspace = std::vector<Workspace>(1);
  std::atomic<int> runs = 0;
  const CountRuns task{{&context}, &runs};
  TaskList list;
  list.data.assign(2, MatrixView{nullptr, 1, 1, 1});
  for (Count k = 0; k <= submission_window; ++k) {
    const Index data = k < submission_window ? 1 : 0;
    list.append({TaskKind::update}, task, std::array{Access{data, AccessMode::read_write}}, 0.0F);
  }
  const Handles handles(list.data);
  const auto end = static_cast<Index>(submission_window + 1);
  constexpr Count group_bytes = sizeof(double);
  const std::array messages{
      Message{.kind = Message::Kind::begin, .data = 0, .group_bytes = group_bytes},
      Message{.kind = Message::Kind::begin, .data = 1, .group_bytes = group_bytes},
      Message{.kind = Message::Kind::end, .data = 0, .before = end},
      Message{.kind = Message::Kind::end, .data = 1, .before = end},
  };
  BufferPool pool(0, {group_bytes, 0});
  const Transfers transfers{messages, &runtime_.engine, &pool};
  runtime_.starpu.resume();
  submit(list, handles.all(), completion_, &transfers);
  completion_.wait();
  runtime_.starpu.pause();
  EXPECT_EQ(runs, end);
  EXPECT_EQ(pool.most_held(), group_bytes);
}

/// A send transfers the value that the data have at its place in the order of submission. A receive
/// overwrites the data only after all earlier sends.
TEST_F(EngineOnRanks, KeepsTheOrderOfAccesses) {
  if (here_.ranks == 1) GTEST_SKIP() << "a rank does not send itself anything";
  constexpr int rounds = 50;
  std::array<double, 2> value{static_cast<double>(here_.rank), 0};
  const Handles handles(std::array{DataView{&value[0], 1, 1, 1}, DataView{&value[1], 1, 1, 1}});
  std::vector<double> seen;
  for (int k = 0; k < rounds; ++k) {
    const int here = k % 2;
    const starpu_data_handle_t data = handles.all()[here];
    ASSERT_EQ(starpu_data_acquire(data, STARPU_RW), 0);
    seen.push_back(value[here]);
    value[here] += here_.ranks;
    starpu_data_release(data);
    send(data, here_.next(), k, {completion_});
    receive(handles.all()[1 - here], here_.previous(), k, {completion_});
  }
  completion_.wait();
  for (int k = 0; k < rounds; ++k) {
    const int from = ((here_.rank - k) % here_.ranks + here_.ranks) % here_.ranks;
    EXPECT_EQ(seen[k], from + static_cast<double>(k) * here_.ranks) << k;
  }
}

/// The skipped task marks its result, which is sent. The task on another rank that reads it is
/// skipped.
TEST_F(EngineOnRanks, TellsOfAFailure) {
  if (here_.ranks == 1) GTEST_SKIP() << "a rank does not send itself anything";
  FactorContext context;
  context.workspace = std::vector<Workspace>(1);
  if (here_.rank == 0) context.failure.report(7);
  std::atomic<int> runs = 0;
  const CountRuns task{{&context}, &runs};
  std::array<double, 3> value{};
  TaskList list;
  for (double& entry : value) list.data.push_back({&entry, 1, 1, 1});
  list.append({TaskKind::update}, task, std::array{Access{0, AccessMode::write}}, 0.0F);
  list.append({TaskKind::update}, task,
              std::array{Access{2, AccessMode::write}, Access{1, AccessMode::read}}, 0.0F);
  const std::array messages{
      Message{.kind = Message::Kind::receive,
              .data = 1,
              .rank = here_.previous(),
              .tag = 0,
              .before = 1},
      Message{.kind = Message::Kind::send, .data = 0, .rank = here_.next(), .tag = 0, .before = 1},
  };
  const Handles handles(list.data);
  const Transfers transfers{messages, &runtime_.engine};
  runtime_.starpu.resume();
  submit(list, handles.all(), completion_, &transfers);
  completion_.wait();
  runtime_.starpu.pause();
  const bool first = here_.rank == 0;
  const bool follows = here_.previous() == 0;
  EXPECT_EQ(runs, first ? 0 : follows ? 1 : 2);
  EXPECT_EQ(context.failure.happened(), first || follows);
  EXPECT_EQ(context.failure.column(), first ? 7 : -1);
}

}  // namespace
}  // namespace espalier::internal
