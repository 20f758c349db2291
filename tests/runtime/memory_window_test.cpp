// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/memory_window.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "espalier/error.hpp"

namespace espalier::internal {
namespace {

using Sort = MemoryWindow::Sort;
constexpr auto made = Sort::made;
constexpr auto received = Sort::received;

TEST(MemoryWindow, GivesWhatFits) {
  MemoryWindow window(80, {8, 8});
  double* const first = window.take(received, 32, 32);
  ASSERT_NE(first, nullptr);
  EXPECT_NE(window.take(received, 40, 40), nullptr);
  EXPECT_EQ(window.take(received, 8, 8), nullptr) << "space is reserved for the other sort";
  window.give_back(first, 8);
  EXPECT_NE(window.take(received, 8, 8), nullptr);
  EXPECT_NE(window.take(made, 8, 8), nullptr);
  EXPECT_EQ(window.take(made, 8, 8), nullptr);
}

/// Otherwise a task that needs all of a group might wait forever.
TEST(MemoryWindow, AdmitsGroupsAsAWhole) {
  MemoryWindow window(96, {16, 32});
  double* const first = window.take(received, 8, 56);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(window.take(received, 8, 32), nullptr);
  EXPECT_EQ(window.take(received, 16, 0), first + 1);
  EXPECT_EQ(window.take(received, 32, 0), first + 3);
}

TEST(MemoryWindow, HasRoomForTheLargestGroupOfEachSort) {
  MemoryWindow window(0, {48, 800});
  EXPECT_EQ(window.bytes(), 848);
  for (const auto& [sort, room] : {std::pair(made, 48), std::pair(received, 800)}) {
    double* const memory = window.take(sort, room, room);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(window.take(sort, 8, 8), nullptr);
    window.give_back(memory, room);
    EXPECT_NE(window.take(sort, 8, 8), nullptr);
  }
}

TEST(MemoryWindow, LeavesHalfToWhatIsReceived) {
  MemoryWindow window(160, {8, 8});
  double* const first = window.take(made, 48, 48);
  EXPECT_NE(window.take(made, 32, 32), nullptr);
  EXPECT_EQ(window.take(made, 8, 8), nullptr);
  double* const most = window.take(received, 80, 80);
  EXPECT_NE(most, nullptr);
  EXPECT_EQ(window.take(received, 8, 8), nullptr);
  window.give_back(first, 48);
  EXPECT_NE(window.take(received, 40, 40), nullptr);
  EXPECT_NE(window.take(made, 8, 8), nullptr);
  EXPECT_EQ(window.take(received, 8, 8), nullptr);
}

TEST(MemoryWindow, KnowsTheMostItHeld) {
  MemoryWindow window(80, {16, 16});
  EXPECT_EQ(window.most_held(), 0);
  double* const first = window.take(received, 40, 64);
  window.take(received, 24, 0);
  window.give_back(first, 40);
  window.take(received, 8, 8);
  window.take(made, 16, 16);
  EXPECT_EQ(window.most_held(), 64);
}

TEST(MemoryWindow, RefusesWhatTheSystemLacks) {
  EXPECT_THROW(MemoryWindow(Count{1} << 60, {8, 8}), MemoryError);
}

/// Groups of both sorts are taken and returned at random. No byte has two owners. The first group
/// of a sort always fits, whatever the other sort holds.
TEST(MemoryWindow, NeverStandsStill) {
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
    MemoryWindow window(limit * 8, {largest[0] * 8, largest[1] * 8});
    std::vector<Piece> there[2];
    for (int step = 0; step < 3000; ++step) {
      const auto which = static_cast<std::size_t>(up_to(2) - 1);
      auto& own = there[which];
      if (!own.empty() && up_to(3) > 1) {
        const auto gone = own.begin() + up_to(std::ssize(own)) - 1;
        for (Count k = 0; k < gone->bytes / 8; ++k) ASSERT_EQ(gone->memory[k], gone->bytes + k);
        window.give_back(gone->memory, gone->bytes);
        own.erase(gone);
        continue;
      }
      const Count room = up_to(largest[which]);
      for (Count done = 0; done < room;) {
        const Count part = up_to(room - done);
        double* const memory =
            window.take(static_cast<Sort>(which), part * 8, done == 0 ? room * 8 : 0);
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
    EXPECT_LE(window.most_held(), window.bytes());
  }
}

}  // namespace
}  // namespace espalier::internal
