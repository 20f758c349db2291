// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/submission.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "codelets/codelet.hpp"
#include "espalier/error.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/numbers.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::Numbers;

TEST(Submission, RefusesATaskWithMoreDataThanACodeletKnows) {
  const StarpuInstance starpu({1, "lws"});
  FactorContext context;
  struct NoWork : Arguments {
    void run(TaskData /*data*/, Worker& /*worker*/) const {}
  } const arguments{{&context}};
  double number = 0;
  TaskList list;
  list.data.push_back({&number, 1, 1, 1});
  list.append({TaskKind::forward}, arguments,
              std::vector<Access>(most_data_of_task + 1, Access{0, AccessMode::read}), 0);
  const Handles handles(list.data);
  Completion completion;
  support::expect_error<UsageError>([&] { submit(list, handles.all(), completion); },
                                    {"4194305 pieces of data", "4194304", "coarser granularity"});
}

class Submit : public testing::TestWithParam<std::string> {
 protected:
  void expect_as_here(Numbers& numbers) {
    const std::vector<double> expected = numbers.run_here();
    for (int run = 0; run < 3; ++run) {
      EXPECT_EQ(numbers.run_by_starpu(starpu_), expected);
      EXPECT_EQ(numbers.tally(), numbers.size());
    }
  }

  /// "random" may choose a worker that waits for a core, so it gets at most as many workers as
  /// cores.
  StarpuInstance starpu_{RuntimeOptions{GetParam() == "random" ? 2 : 3, GetParam()}};
};

TEST_P(Submit, RunsAChainInOrder) {
  Numbers numbers(2);
  for (int i = 0; i < 60; ++i) {
    numbers.add({{0, AccessMode::read_write}, {1, AccessMode::read}});
    numbers.add({{1, AccessMode::read_write}, {0, AccessMode::read}});
  }
  expect_as_here(numbers);
  EXPECT_EQ(numbers.most_at_once(), 1);
}

TEST_P(Submit, RunsAForkAndItsJoin) {
  Numbers numbers(10);
  for (int round = 0; round < 6; ++round) {
    numbers.add({{0, AccessMode::read_write}});
    for (Index i = 1; i < 9; ++i) {
      numbers.add({{i, AccessMode::read_write}, {0, AccessMode::read}});
    }
    for (Index i = 1; i < 9; ++i) {
      numbers.add({{9, AccessMode::read_write}, {i, AccessMode::read}});
    }
    numbers.add({{0, AccessMode::read_write}, {9, AccessMode::read}});
  }
  expect_as_here(numbers);
}

TEST_P(Submit, RunsTasksWithMoreAccessesThanStarpuStoresInline) {
  for (const Index count : {STARPU_NMAXBUFS, STARPU_NMAXBUFS + 1, 16, 17, 30}) {
    Numbers numbers(count);
    for (Index target = 0; target < count; ++target) {
      std::vector<Access> accesses{{target, AccessMode::read_write}};
      for (Index i = 0; i < count; ++i) {
        if (i != target) accesses.push_back({i, AccessMode::read});
      }
      numbers.add(accesses);
    }
    expect_as_here(numbers);
  }
}

/// Additions to one number never overlap. 3 x + 1 commutes with itself.
TEST_P(Submit, RunsAdditionsToOneNumberOneAtATime) {
  Numbers numbers(1);
  for (int i = 0; i < 100; ++i) numbers.add({{0, AccessMode::add}});
  expect_as_here(numbers);
  EXPECT_EQ(numbers.most_at_once(), 1);
}

TEST_P(Submit, RunsNothingOfAnEmptyList) {
  Numbers numbers(1);
  EXPECT_EQ(numbers.run_by_starpu(starpu_), (std::vector<double>{1}));
}

TEST_P(Submit, SkipsTheWorkOfTasksAfterAFailure) {
  Numbers numbers(1);
  for (int i = 0; i < 10; ++i) numbers.add({{0, AccessMode::read_write}});
  numbers.context().failure.report(5);
  std::vector<double> after = numbers.run_by_starpu(starpu_);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_TRUE(is_marked_as_failed({after.data(), 1, 1, 1}));
  EXPECT_EQ(numbers.tally(), 0);
}

INSTANTIATE_TEST_SUITE_P(Policies, Submit,
                         testing::Values("prio", "lws", "eager", "random", "dmda", "dmdas"),
                         [](const auto& info) { return info.param; });

TEST(SubmitWindow, LetsAnyNumberOfTasksThrough) {
  const StarpuInstance starpu(RuntimeOptions{2, "prio"});
  Numbers numbers(3);
  for (Count i = 0; i < submission_window + submission_window / 2; ++i) {
    const auto target = static_cast<Index>(i % 3);
    numbers.add({{target, AccessMode::read_write}});
  }
  const std::vector<double> expected = numbers.run_here();
  EXPECT_EQ(numbers.run_by_starpu(starpu), expected);
  EXPECT_EQ(numbers.tally(), numbers.size());
}

using namespace std::chrono_literals;

struct SetFlag : Arguments {
  std::atomic<bool>* flag = nullptr;
  void run(TaskData /*data*/, Worker& /*worker*/) const { *flag = true; }
};

/// Waits for a flag when the last of some messages is submitted.
class WaitAtLastMessage final : public TransferEngine {
 public:
  WaitAtLastMessage(Index messages, const std::atomic<bool>& flag, std::chrono::milliseconds most)
      : left_(messages), flag_(flag), most_(most) {}
  void submit(const Message& /*message*/, starpu_data_handle_t /*data*/, int /*priority*/,
              const TransferOwner& /*owner*/) override {
    if (--left_ > 0) return;
    const auto end = std::chrono::steady_clock::now() + most_;
    while (!flag_ && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
    saw_flag_ = flag_;
  }
  bool makes_wait() const override { return false; }
  bool saw_flag() const { return saw_flag_; }

 private:
  Index left_;
  const std::atomic<bool>& flag_;
  std::chrono::milliseconds most_;
  bool saw_flag_ = false;
};

/// Returns whether the only task of a list ran before the last of its messages was submitted.
bool runs_before_last_message(const StarpuInstance& starpu, Index messages,
                              std::chrono::milliseconds most) {
  FactorContext context;
  context.workspace = std::vector<Workspace>(starpu.workers());
  std::atomic<bool> flag = false;
  const SetFlag arguments{{&context}, &flag};
  double number = 0;
  TaskList list;
  list.data.push_back({&number, 1, 1, 1});
  list.append({TaskKind::update}, arguments, std::array{Access{0, AccessMode::read_write}}, 0);
  const std::vector<Message> message(
      messages, {.kind = Message::Kind::send, .data = 0, .rank = 1, .tag = 0, .before = 1});
  WaitAtLastMessage engine(messages, flag, most);
  const Transfers transfers{message, &engine};
  const Handles handles(list.data);
  TaskRunner runner(starpu);
  runner.start(list, handles.all(), &transfers);
  runner.wait();
  EXPECT_TRUE(flag);
  return engine.saw_flag();
}

TEST(TaskRunner, WakesTheWorkersBeforeItSubmitsManyMessages) {
  const StarpuInstance starpu(RuntimeOptions{1, "prio"});
  EXPECT_FALSE(runs_before_last_message(starpu, 10, 50ms));
  EXPECT_TRUE(runs_before_last_message(starpu, 1000, 60000ms));
}

}  // namespace
}  // namespace espalier::internal
