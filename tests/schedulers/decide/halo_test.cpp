// SPDX-License-Identifier: BSD-3-Clause

#include "schedulers/decide/halo.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace espalier::internal {
namespace {

constexpr HaloPlace host{HaloPlace::Kind::host};
constexpr HaloPlace anywhere{HaloPlace::Kind::anywhere};

/// Returns a task of Espalier that writes a shadow on this device, -1 for none.
TaskFacts of_shadow(Index device) {
  TaskFacts task;
  task.ours = true;
  task.device = device;
  return task;
}

TEST(HaloPlace, OfWhatWritesAShadowIsItsDevice) {
  const TaskFacts task = of_shadow(3);
  EXPECT_EQ(halo_place(task, 4, true), (HaloPlace{HaloPlace::Kind::device, 3}));
  EXPECT_EQ(halo_place(task, 2, true), (HaloPlace{HaloPlace::Kind::device, 1}));
  EXPECT_EQ(halo_place(task, 2, false), (HaloPlace{HaloPlace::Kind::device, 1}));
}

TEST(HaloPlace, OfOtherTasksOfOursIsTheHost) {
  EXPECT_EQ(halo_place(of_shadow(-1), 2, true), host);
  EXPECT_EQ(halo_place(of_shadow(1), 0, true), host);
}

TEST(HaloPlace, OfForeignTasksIsWhereTheyArePredictedToBeDoneSooner) {
  TaskFacts task;
  task.seconds = 3;
  task.device_seconds = 2;
  EXPECT_EQ(halo_place(task, 2, true), (HaloPlace{HaloPlace::Kind::device, -1}));
  EXPECT_EQ(halo_place(task, 0, true), host);
  task.device_copy = 1;
  EXPECT_EQ(halo_place(task, 2, true), host) << "their data are on the host";
  EXPECT_EQ(halo_place(task, 2, false), anywhere);
  task.device_seconds = 0;
  EXPECT_EQ(halo_place(task, 2, true), anywhere) << "the time on a device is unknown";
}

TEST(HaloPlace, OfAllElseIsWhereAWorkerIs) {
  EXPECT_EQ(halo_place({}, 2, true), anywhere);
  EXPECT_EQ(halo_place(of_shadow(-1), 2, false), anywhere);
}

}  // namespace
namespace {

using SourcePieces = std::vector<SourcePool::Piece>;

std::array<char, 12> names;

/// A device that evicts pieces on request.
class Device {
 public:
  bool admit(const SourcePieces& pieces, SourcePool::Limit limit = {.workers = 1}) {
    const bool fits = pool.admit(pieces, limit, Eviction{there});
    if (!fits) return false;
    for (const auto& piece : pieces) there.insert(piece.data);
    return true;
  }
  void release(const SourcePieces& pieces) { pool.release(pieces, Eviction{there}); }

  SourcePool pool;
  std::set<const void*> there;

 private:
  struct Eviction {
    std::set<const void*>& there;
    bool operator()(const void* data) const { return there.erase(data) == 1; }
  };
};

TEST(SourcePool, KeepsWhatOthersWaitForWhileThereIsRoom) {
  const SourcePieces large{{&names[0], 60}, {&names[1], 40}};
  const SourcePieces small{{&names[0], 60}};
  Device device;
  device.pool.expect(large);
  device.pool.expect(small);
  EXPECT_TRUE(device.admit(small));
  device.release(small);
  EXPECT_EQ(device.there, (std::set<const void*>{&names[0]})) << "the other task reads it, too";
  EXPECT_TRUE(device.admit(large));
  device.release(large);
  EXPECT_TRUE(device.there.empty());
  EXPECT_EQ(device.pool.bytes(), 0);
}

TEST(SourcePool, MakesRoomOfWhatNoTaskUses) {
  const SourcePieces first{{&names[0], 60}};
  const SourcePieces second{{&names[1], 50}};
  Device device;
  for (int time = 0; time < 2; ++time) device.pool.expect(first);
  device.pool.expect(second);
  EXPECT_TRUE(device.admit(first));
  EXPECT_FALSE(device.admit(second)) << "the first is in use";
  EXPECT_TRUE(device.admit(first)) << "all its data are on the device";
  EXPECT_FALSE(device.admit(second, {.workers = 1, .bytes = 109}));
  EXPECT_TRUE(device.admit(second, {.workers = 1, .bytes = 110}));
  device.release(second);
  device.pool.expect(second);
  device.release(first);
  device.release(first);
  EXPECT_TRUE(device.admit(second));
}

TEST(SourcePool, GoesOnWhereNothingCanBeTakenAway) {
  const SourcePieces first{{&names[0], 60}};
  const SourcePieces second{{&names[1], 50}};
  SourcePool pool;
  for (int time = 0; time < 2; ++time) pool.expect(first);
  pool.expect(second);
  const auto stays = [](const void* /*data*/) { return false; };
  EXPECT_TRUE(pool.admit(first, {1}, stays));
  pool.release(first, stays);
  EXPECT_TRUE(pool.admit(second, {1}, stays));
  EXPECT_EQ(pool.bytes(), 110);
}

/// Runs random tasks, up to three at the same time. At most two of the largest tasks fit, and all
/// tasks run.
TEST(SourcePool, BoundsWhatIsThere) {
  std::mt19937 random(1);
  Device device;
  std::vector<SourcePieces> waiting;
  std::vector<SourcePieces> running;
  Count largest = 0;
  Index run = 0;
  for (int step = 0; step < 3000 || !waiting.empty() || !running.empty(); ++step) {
    const auto choice = random() % 3;
    if (choice == 0 && step < 3000) {
      SourcePieces pieces;
      const auto first = random() % 11;
      for (auto p = first; p <= first + random() % 2; ++p) {
        pieces.push_back({&names[p], 10 + 7 * static_cast<Count>(p)});
      }
      Count bytes = 0;
      for (const auto& piece : pieces) bytes += piece.bytes;
      largest = std::max(largest, bytes);
      device.pool.expect(pieces);
      waiting.push_back(std::move(pieces));
    } else if (choice == 1 && !waiting.empty() && running.size() < 3) {
      const bool fits = device.admit(waiting.front(), {.workers = 2});
      EXPECT_TRUE(fits || !running.empty());
      if (!fits) continue;
      running.push_back(std::move(waiting.front()));
      waiting.erase(waiting.begin());
    } else if (choice == 2 && !running.empty()) {
      device.release(running.front());
      running.erase(running.begin());
      ++run;
    }
    Count there = 0;
    for (Index p = 0; p < std::ssize(names); ++p) {
      if (device.there.contains(&names[p])) there += 10 + 7 * Count{p};
    }
    ASSERT_EQ(there, device.pool.bytes());
    ASSERT_LE(there, 2 * largest);
  }
  EXPECT_TRUE(device.there.empty());
  EXPECT_GT(run, 300);
}

/// The first factor uses up its budget. The second factor has a separate one.
TEST(SourcePools, KeepTheBudgetsOfFactorsApart) {
  const SourcePieces first{{&names[0], 60}};
  const SourcePieces second{{&names[1], 50}};
  const SourcePieces third{{&names[2], 70}};
  const SourcePieces fourth{{&names[3], 40}};
  DeviceBudget little;
  DeviceBudget much;
  little.beside_shadows = 100;
  much.beside_shadows = 110;
  SourcePools pools;
  const auto evict = [](const void* /*data*/) { return true; };
  const auto admit = [&](const DeviceBudget& factor, const SourcePieces& pieces) {
    return pools.admit(factor, pieces, 1, evict);
  };
  for (const auto& pieces : {first, second}) pools.expect(little, pieces);
  for (const auto& pieces : {third, fourth}) pools.expect(much, pieces);
  EXPECT_TRUE(admit(little, first));
  EXPECT_TRUE(admit(much, third)) << "the other factor uses 60 of its 100";
  EXPECT_FALSE(admit(little, second)) << "110 exceed its budget, but not the other one";
  EXPECT_TRUE(admit(much, fourth)) << "its budget is 110";
  pools.release(little, first, evict);
  EXPECT_TRUE(admit(little, second));
}

/// Another factor may have its budget at the same address later.
TEST(SourcePools, ForgetAFactorWithItsLastTask) {
  const SourcePieces large{{&names[0], 60}};
  const SourcePieces small{{&names[1], 10}};
  const SourcePieces other{{&names[2], 10}};
  DeviceBudget budget;
  SourcePools pools;
  const auto evict = [](const void* /*data*/) { return true; };
  pools.expect(budget, large);
  EXPECT_TRUE(pools.admit(budget, large, 1, evict));
  pools.release(budget, large, evict);
  for (const auto& pieces : {small, other}) pools.expect(budget, pieces);
  EXPECT_TRUE(pools.admit(budget, small, 1, evict));
  EXPECT_FALSE(pools.admit(budget, other, 1, evict)) << "the space for the large one is gone";
}

}  // namespace
}  // namespace espalier::internal
