// SPDX-License-Identifier: BSD-3-Clause

#include "base/device_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

namespace espalier::internal {
namespace {

using Needed = std::vector<DeviceMemory::Piece>;

std::array<char, 12> datum;

bool leaves(const void* /*data*/) { return true; }
bool stays(const void* /*data*/) { return false; }

TEST(DeviceMemory, CountsEachPieceOnce) {
  DeviceMemory memory;
  const Needed first{{&datum[0], 60}, {&datum[1], 20}, {&datum[0], 60}};
  EXPECT_TRUE(memory.admit(first, 100, leaves));
  EXPECT_EQ(memory.bytes(), 80);
  EXPECT_TRUE(memory.admit(Needed{{&datum[1], 20}, {&datum[2], 20}}, 100, leaves));
  EXPECT_EQ(memory.bytes(), 100);
  memory.release(first);
  EXPECT_EQ(memory.bytes(), 100) << "data on the device stay";
  EXPECT_EQ(memory.needed(), 40);
}

TEST(DeviceMemory, TakesNothingOfATaskThatDoesNotFit) {
  DeviceMemory memory;
  EXPECT_TRUE(memory.admit(Needed{{&datum[0], 60}}, 100, leaves));
  EXPECT_FALSE(
      memory.admit(Needed{{&datum[1], 30}, {&datum[0], 60}, {&datum[2], 11}}, 100, leaves));
  EXPECT_EQ(memory.bytes(), 60);
  EXPECT_TRUE(memory.admit(Needed{{&datum[1], 40}}, 100, leaves)) << "the space is still free";
  EXPECT_FALSE(memory.admit(Needed{{&datum[2], 1}}, 100, leaves)) << "tasks use all memory";
  EXPECT_TRUE(memory.admit(Needed{{&datum[1], 40}, {&datum[0], 60}}, 100, leaves));
}

TEST(DeviceMemory, HasItsBounds) {
  DeviceMemory memory;
  EXPECT_FALSE(memory.admit(Needed{{&datum[0], 1}}, 0, leaves));
  EXPECT_TRUE(memory.admit(Needed{}, 0, leaves));
  EXPECT_TRUE(memory.admit(Needed{{&datum[0], Count{1} << 60}}, DeviceMemory::unlimited, leaves));
}

TEST(DeviceMemory, MakesRoomOfWhatWasNotNeededForTheLongestTime) {
  DeviceMemory memory;
  const Needed a{{&datum[0], 40}};
  const Needed b{{&datum[1], 40}};
  for (const Needed& piece : {a, b, a}) {
    EXPECT_TRUE(memory.admit(piece, 100, stays));
    memory.release(piece);
  }
  std::vector<const void*> left;
  const auto note = [&](const void* data) {
    left.push_back(data);
    return true;
  };
  EXPECT_TRUE(memory.admit(Needed{{&datum[2], 60}}, 100, note));
  EXPECT_EQ(left, std::vector<const void*>{&datum[1]});
  EXPECT_EQ(memory.bytes(), 100);
  EXPECT_FALSE(memory.admit(Needed{{&datum[3], 41}}, 100, note)) << "60 bytes are in use";
  EXPECT_EQ(left.size(), 1) << "no data are evicted in vain";
  EXPECT_FALSE(memory.admit(Needed{{&datum[3], 1}}, 100, stays));
  memory.remove(&datum[0]);
  EXPECT_TRUE(memory.admit(Needed{{&datum[3], 40}}, 100, stays));
}

/// Random tasks, some of them at the same time, compared with a set of the data on the device. The
/// limit holds, and a task is refused only if the needs of running tasks leave too little memory.
TEST(DeviceMemory, NeverPassesItsLimit) {
  std::mt19937 random(1);
  const auto bytes_of = [](const void* data) {
    return 10 * static_cast<Count>(static_cast<const char*>(data) - datum.data()) + 1;
  };
  for (const double limit : {1.0, 40.0, 90.0, 1000.0}) {
    DeviceMemory memory;
    std::set<const void*> there;
    std::vector<Needed> running;
    const auto leave = [&](const void* data) { return there.erase(data) == 1; };
    for (int step = 0; step < 2000; ++step) {
      if (random() % 2 == 0 && !running.empty()) {
        memory.release(running.front());
        running.erase(running.begin());
        continue;
      }
      Needed pieces;
      for (int k = 0; k < 3; ++k) {
        const void* const data = &datum[random() % datum.size()];
        pieces.push_back({data, bytes_of(data)});
      }
      std::set<const void*> needed;
      running.push_back(pieces);
      for (const Needed& task : running) {
        for (const auto& piece : task) needed.insert(piece.data);
      }
      Count bytes = 0;
      for (const void* const data : needed) bytes += bytes_of(data);
      const bool fits = memory.admit(pieces, limit, leave);
      ASSERT_EQ(fits, static_cast<double>(bytes) <= limit);
      if (!fits) running.pop_back();
      if (fits) there.insert(needed.begin(), needed.end());
      Count sum = 0;
      for (const void* const data : there) sum += bytes_of(data);
      ASSERT_EQ(sum, memory.bytes());
      ASSERT_LE(static_cast<double>(sum), limit);
    }
  }
}

}  // namespace
}  // namespace espalier::internal
