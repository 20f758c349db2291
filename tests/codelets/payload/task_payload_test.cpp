// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/payload/task_payload.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <span>
#include <vector>

#include "codelets/tasks/factorize.hpp"
#include "codelets/tasks/update.hpp"

namespace espalier::internal {
namespace {

/// Tasks R with a list of rows and tasks D with an empty message, in turn.
class SampleList : public testing::Test {
 protected:
  SampleList() {
    for (Index i = 0; i < 6; ++i) {
      const Access accesses[] = {{0, AccessMode::read_write}, {0, AccessMode::read}};
      if (i % 2 == 0) {
        list_.append({TaskKind::diagonal, 2, 2, 2}, diagonal_, std::span(accesses).first(1), 0);
      } else {
        list_.append({TaskKind::reduce, 3, 2, 1}, reduce_, accesses, 0);
      }
    }
    context_.workspace.resize(2);
  }

  const std::array<Index, 4> rows_{3, 5, 7, 9};
  FactorContext context_;
  LazyTile lazy_;
  DiagonalTask diagonal_{{{&context_}, &lazy_}, 0};
  ReduceTask reduce_{{{&context_}, &lazy_}, rows_, std::span(rows_).subspan(1)};
  TaskList list_;
};

TEST_F(SampleList, HasThePayloadsWithListsTogether) {
  const TaskPayloads payloads(list_);
  const auto with_lists = payloads.with_lists();
  std::size_t bytes = 0;
  for (Index i = 0; i < 6; ++i) {
    const auto sent = payloads.of(i);
    const auto& payload = *reinterpret_cast<const TaskPayload*>(sent.data());
    EXPECT_EQ(payload.task, &list_.task[i]);
    EXPECT_EQ(payload.words, i % 2 == 0 ? 0 : 4);
    const bool is_there = sent.data() >= with_lists.data() &&
                          sent.data() + sent.size() <= with_lists.data() + with_lists.size();
    EXPECT_EQ(is_there, i % 2 == 1);
    bytes += is_there ? sent.size() : 0;
  }
  EXPECT_EQ(bytes, with_lists.size());
}

TEST(CopiedMemory, IsFoundByThePlaceInTheOriginal) {
  const std::vector<Index> here(10);
  const std::vector<Index> there(10);
  const CopiedMemory memory{std::as_bytes(std::span(here)),
                            {nullptr, std::as_bytes(std::span(there)).data()}};
  const auto part = std::span(here).subspan(3, 2);
  EXPECT_EQ(memory.of(part, 1), there.data() + 3);
  EXPECT_EQ(memory.of(part, 0), nullptr);
  EXPECT_EQ(memory.of(part, 2), nullptr);
  EXPECT_EQ(memory.of(std::span(there).first(1), 1), nullptr);
  EXPECT_EQ(CopiedMemory{}.of(part, 0), nullptr);
}

/// A task begins when the accelerator got it, or when the accelerator's previous task ended,
/// whichever is later.
TEST_F(SampleList, IsTimedByTheHostWhereTheAcceleratorDoesNot) {
  const BoundTask& first = list_.task[1];
  const BoundTask& second = list_.task[3];
  const double given = context_.clock.seconds();
  first.record.begin = second.record.begin = given;
  take_result(first, 1, std::vector{not_timed});
  EXPECT_DOUBLE_EQ(first.record.begin, given);
  EXPECT_EQ(context_.workspace[1].free_since, first.record.end);
  take_result(second, 1, std::vector{not_timed});
  EXPECT_DOUBLE_EQ(second.record.begin, first.record.end);
  EXPECT_GE(second.record.end, second.record.begin);
  const auto& tally = context_.workspace[1].tally[static_cast<std::size_t>(TaskKind::reduce)];
  EXPECT_DOUBLE_EQ(tally.seconds, second.record.end - given);
}

}  // namespace
}  // namespace espalier::internal
