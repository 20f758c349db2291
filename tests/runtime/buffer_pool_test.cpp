// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "espalier/error.hpp"

namespace espalier::internal {
namespace {

using Sort = BufferPool::Sort;
constexpr auto made = Sort::made;
constexpr auto received = Sort::received;

TEST(BufferPool, GivesWhatFits) {
  BufferPool pool(80, {8, 8});
  double* const first = pool.take(received, 32, 32);
  ASSERT_NE(first, nullptr);
  EXPECT_NE(pool.take(received, 40, 40), nullptr);
  EXPECT_EQ(pool.take(received, 8, 8), nullptr) << "space is reserved for the other sort";
  pool.give_back(first, 8);
  EXPECT_NE(pool.take(received, 8, 8), nullptr);
  EXPECT_NE(pool.take(made, 8, 8), nullptr);
  EXPECT_EQ(pool.take(made, 8, 8), nullptr);
}

/// The pool admits a group only as a whole. Otherwise a task that needs all of the group might wait
/// forever.
TEST(BufferPool, AdmitsGroupsAsAWhole) {
  BufferPool pool(96, {16, 32});
  double* const first = pool.take(received, 8, 56);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(pool.take(received, 8, 32), nullptr);
  EXPECT_EQ(pool.take(received, 16, 0), first + 1);
  EXPECT_EQ(pool.take(received, 32, 0), first + 3);
}

TEST(BufferPool, HasRoomForTheLargestGroupOfEachSort) {
  BufferPool pool(0, {48, 800});
  EXPECT_EQ(pool.bytes(), 848);
  for (const auto& [sort, group_bytes] : {std::pair(made, 48), std::pair(received, 800)}) {
    double* const memory = pool.take(sort, group_bytes, group_bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(pool.take(sort, 8, 8), nullptr);
    pool.give_back(memory, group_bytes);
    EXPECT_NE(pool.take(sort, 8, 8), nullptr);
  }
}

TEST(BufferPool, LeavesHalfToWhatIsReceived) {
  BufferPool pool(160, {8, 8});
  double* const first = pool.take(made, 48, 48);
  EXPECT_NE(pool.take(made, 32, 32), nullptr);
  EXPECT_EQ(pool.take(made, 8, 8), nullptr);
  double* const most = pool.take(received, 80, 80);
  EXPECT_NE(most, nullptr);
  EXPECT_EQ(pool.take(received, 8, 8), nullptr);
  pool.give_back(first, 48);
  EXPECT_NE(pool.take(received, 40, 40), nullptr);
  EXPECT_NE(pool.take(made, 8, 8), nullptr);
  EXPECT_EQ(pool.take(received, 8, 8), nullptr);
}

TEST(BufferPool, KnowsTheMostItHeld) {
  BufferPool pool(80, {16, 16});
  EXPECT_EQ(pool.most_held(), 0);
  double* const first = pool.take(received, 40, 64);
  pool.take(received, 24, 0);
  pool.give_back(first, 40);
  pool.take(received, 8, 8);
  pool.take(made, 16, 16);
  EXPECT_EQ(pool.most_held(), 64);
}

TEST(BufferPool, RefusesWhatTheSystemLacks) {
  EXPECT_THROW(BufferPool(Count{1} << 60, {8, 8}), MemoryError);
}

/// Groups of both sorts are taken and returned at random. No byte has two owners. The first group
/// of a sort always fits, whatever the other sort holds.
TEST(BufferPool, NeverStandsStill) {
  struct Piece {
    double* memory;
    Count bytes;
  };
  std::mt19937 random(7);
  const auto up_to = [&](Count most) {
    return static_cast<Count>(std::uniform_int_distribution<Count>(1, most)(random));
  };
  constexpr Count largest[] = {12, 30};  // entries
  for (const Count limit : {0, 42, 50, 64, 200}) {
    BufferPool pool(limit * 8, {largest[0] * 8, largest[1] * 8});
    std::vector<Piece> there[2];
    for (int step = 0; step < 3000; ++step) {
      const auto which = static_cast<std::size_t>(up_to(2) - 1);
      auto& own = there[which];
      if (!own.empty() && up_to(3) > 1) {
        const auto gone = own.begin() + up_to(std::ssize(own)) - 1;
        for (Count k = 0; k < gone->bytes / 8; ++k) ASSERT_EQ(gone->memory[k], gone->bytes + k);
        pool.give_back(gone->memory, gone->bytes);
        own.erase(gone);
        continue;
      }
      const Count group_bytes = up_to(largest[which]);
      for (Count done = 0; done < group_bytes;) {
        const Count part = up_to(group_bytes - done);
        double* const memory =
            pool.take(static_cast<Sort>(which), part * 8, done == 0 ? group_bytes * 8 : 0);
        if (memory == nullptr) {
          ASSERT_EQ(done, 0);
          ASSERT_FALSE(own.empty()) << "a window of " << limit << ", step " << step;
          break;
        }
        std::iota(memory, memory + part, static_cast<double>(part * 8));
        own.push_back({memory, part * 8});
        done += part;
      }
    }
    EXPECT_LE(pool.most_held(), pool.bytes());
  }
}

}  // namespace
}  // namespace espalier::internal
