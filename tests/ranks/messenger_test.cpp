// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/messenger.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"
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
  /// Returns the next rank in a ring; alone, the rank itself.
  int next() const { return (rank + 1) % ranks; }
  int previous() const { return (rank + ranks - 1) % ranks; }
};

class MessengerOnRanks : public testing::Test {
 protected:
  Place here_;
  StarpuInstance starpu_{RuntimeOptions{1, ""}};
  Messenger messenger_{MPI_COMM_WORLD};
  Completion completion_;
  Failure failure_;
};

/// Rows of a larger array, into memory that is lent.
TEST_F(MessengerOnRanks, CarriesPartsOfColumns) {
  constexpr Index rows = 5;
  constexpr Index columns = 700;
  constexpr Index ld = 8;
  std::vector<double> memory(Count{ld} * columns, -1.0);
  const MatrixView own{memory.data() + 2, rows, columns, ld};
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) own(i, j) = here_.rank + 10.0 * i + 100.0 * j;
  }
  const std::array views{own, MatrixView{nullptr, rows, columns, rows}};
  const Handles handles(views);
  constexpr Count bytes = Count{8} * rows * columns;
  MemoryWindow window(0, {0, bytes});
  const TransferOwner owner{completion_, failure_, &window};
  messenger_.receive(handles.all()[1], here_.previous(), 3, owner, bytes);
  messenger_.send(handles.all()[0], here_.next(), 3, 0, owner);
  completion_.wait();
  ASSERT_EQ(starpu_data_acquire(handles.all()[1], STARPU_R), 0);
  const auto* const got = static_cast<const double*>(starpu_data_get_local_ptr(handles.all()[1]));
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < rows; ++i) {
      ASSERT_EQ(got[i + j * rows], here_.previous() + 10.0 * i + 100.0 * j);
    }
  }
  starpu_data_release(handles.all()[1]);
  messenger_.release(handles.all()[1], owner);
  completion_.wait();
  EXPECT_FALSE(failure_.happened());
  EXPECT_EQ(messenger_.traffic().messages_sent, 1);
  EXPECT_EQ(messenger_.traffic().bytes_received, bytes);
  EXPECT_EQ(window.most_held(), bytes);
}

/// One after the other, in the order of submission, though all were sent before.
TEST_F(MessengerOnRanks, KeepsToItsWindow) {
  constexpr int messages = 20;
  double sent = here_.rank;
  std::vector<MatrixView> views(messages, MatrixView{nullptr, 1, 1, 1});
  views.push_back({&sent, 1, 1, 1});
  const Handles handles(views);
  MemoryWindow window(2 * sizeof(double), {0, sizeof(double)});
  const TransferOwner owner{completion_, failure_, &window};
  for (int k = 0; k < messages; ++k)
    messenger_.send(handles.all()[messages], here_.next(), k, 0, owner);
  for (int k = 0; k < messages; ++k) {
    messenger_.receive(handles.all()[k], here_.previous(), k, owner, sizeof(double));
    messenger_.release(handles.all()[k], owner);
  }
  completion_.wait();
  EXPECT_EQ(messenger_.traffic().messages_received, messages);
  EXPECT_EQ(window.most_held(), Count{2 * sizeof(double)});
}

struct CountRuns : Arguments {
  std::atomic<int>* runs = nullptr;
  void run(TaskData /*data*/, Worker& /*worker*/) const { ++*runs; }
};

/// More tasks than may be under way write the second contribution, which waits for the first one.
TEST_F(MessengerOnRanks, IsHandedTasksWhileContributionsWait) {
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
  constexpr Count room = sizeof(double);
  const std::array messages{
      Message{.kind = Message::Kind::begin, .data = 0, .room = room},
      Message{.kind = Message::Kind::begin, .data = 1, .room = room},
      Message{.kind = Message::Kind::end, .data = 0, .before = end},
      Message{.kind = Message::Kind::end, .data = 1, .before = end},
  };
  MemoryWindow window(0, {room, 0});
  const Transfers transfers{messages, &messenger_, failure_, &window};
  starpu_.resume();
  submit(list, handles.all(), completion_, &transfers);
  completion_.wait();
  starpu_.pause();
  EXPECT_EQ(runs, end);
  EXPECT_EQ(window.most_held(), room);
}

/// What is sent is what the data is at that place in the order, and what is received comes after
/// what was read before.
TEST_F(MessengerOnRanks, KeepsTheOrderOfAccesses) {
  constexpr int rounds = 50;
  double value = here_.rank;
  const std::array views{MatrixView{&value, 1, 1, 1}};
  const Handles handles(views);
  const starpu_data_handle_t data = handles.all()[0];
  std::vector<double> seen;
  for (int k = 0; k < rounds; ++k) {
    ASSERT_EQ(starpu_data_acquire(data, STARPU_RW), 0);
    seen.push_back(value);
    value += here_.ranks;
    starpu_data_release(data);
    if (here_.ranks == 1) continue;
    messenger_.send(data, here_.next(), k, 0, {completion_, failure_});
    messenger_.receive(data, here_.previous(), k, {completion_, failure_});
  }
  completion_.wait();
  for (int k = 0; k < rounds; ++k) {
    const int from = ((here_.rank - k) % here_.ranks + here_.ranks) % here_.ranks;
    EXPECT_EQ(seen[k], from + static_cast<double>(k) * here_.ranks) << k;
  }
}

TEST_F(MessengerOnRanks, SendsNothingAfterAFailure) {
  double sent = 1;
  double received = 2;
  const std::array views{MatrixView{&sent, 1, 1, 1}, MatrixView{&received, 1, 1, 1}};
  const Handles handles(views);
  Failure before;
  if (here_.rank == 0) before.report(7);
  messenger_.receive(handles.all()[1], here_.previous(), 0, {completion_, failure_});
  messenger_.send(handles.all()[0], here_.next(), 0, 0, {completion_, before});
  completion_.wait();
  const bool follows = here_.previous() == 0;
  EXPECT_EQ(failure_.happened(), follows);
  EXPECT_EQ(failure_.column(), -1);
  EXPECT_EQ(received, follows ? 2 : 1);
}

TEST_F(MessengerOnRanks, FindsTheLeastOfAll) {
  EXPECT_EQ(messenger_.least_of_all(here_.rank + 3), 3);
  EXPECT_EQ(messenger_.least_of_all(here_.ranks - here_.rank), 1);
}

}  // namespace
}  // namespace espalier::internal
