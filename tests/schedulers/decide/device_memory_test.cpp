// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/device_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace espalier {
namespace {

using Pieces = std::vector<DeviceMemory::Piece>;

std::array<char, 8> some;

TEST(DeviceMemory, CountsEachPieceOnce) {
  DeviceMemory memory(100);
  EXPECT_TRUE(memory.admit(Pieces{{&some[0], 60}, {&some[1], 20}, {&some[0], 60}}));
  EXPECT_EQ(memory.bytes(), 80);
  EXPECT_TRUE(memory.admit(Pieces{{&some[1], 20}, {&some[2], 20}}));
  EXPECT_EQ(memory.bytes(), 100);
}

TEST(DeviceMemory, TakesNothingOfATaskThatDoesNotFit) {
  DeviceMemory memory(100);
  EXPECT_TRUE(memory.admit(Pieces{{&some[0], 60}}));
  EXPECT_FALSE(memory.admit(Pieces{{&some[1], 30}, {&some[0], 60}, {&some[2], 11}}));
  EXPECT_EQ(memory.bytes(), 60);
  EXPECT_TRUE(memory.admit(Pieces{{&some[1], 40}})) << "the room is still there";
  EXPECT_FALSE(memory.admit(Pieces{{&some[2], 1}}));
  EXPECT_TRUE(memory.admit(Pieces{{&some[1], 40}, {&some[0], 60}})) << "what is there stays";
}

TEST(DeviceMemory, HasItsBounds) {
  DeviceMemory none(0);
  EXPECT_FALSE(none.admit(Pieces{{&some[0], 1}}));
  EXPECT_TRUE(none.admit(Pieces{}));
  DeviceMemory all;
  EXPECT_TRUE(all.admit(Pieces{{&some[0], Count{1} << 60}}));
}

/// Against the set of all that was admitted.
TEST(DeviceMemory, NeverPassesItsLimit) {
  std::mt19937 random(1);
  for (const double limit : {1.0, 40.0, 90.0, 1000.0}) {
    DeviceMemory memory(limit);
    std::set<std::size_t> there;
    const auto bytes_of = [](std::size_t data) { return static_cast<Count>(10 * data + 1); };
    for (int task = 0; task < 200; ++task) {
      Pieces pieces;
      std::set<std::size_t> after = there;
      for (int k = 0; k < 3; ++k) {
        const std::size_t data = random() % some.size();
        pieces.push_back({&some[data], bytes_of(data)});
        after.insert(data);
      }
      Count bytes = 0;
      for (const std::size_t data : after) bytes += bytes_of(data);
      const bool fits = static_cast<double>(bytes) <= limit;
      EXPECT_EQ(memory.admit(pieces), fits);
      if (fits) there = after;
    }
    EXPECT_LE(static_cast<double>(memory.bytes()), limit);
  }
}

}  // namespace
}  // namespace espalier
