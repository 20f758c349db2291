// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/rank_cores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {
namespace {

using testing::ElementsAre;

TEST(ShareOfCores, IsAllForOneRank) {
  EXPECT_THAT(share_of(std::vector<unsigned>{2, 4, 6}, 0, 1), ElementsAre(2, 4, 6));
}

TEST(ShareOfCores, DividesThemAll) {
  for (unsigned count = 1; count <= 9; ++count) {
    std::vector<unsigned> cores(count);
    std::iota(cores.begin(), cores.end(), 10U);
    for (Index ranks = 1; ranks <= static_cast<Index>(count); ++ranks) {
      std::vector<unsigned> together;
      for (Index r = 0; r < ranks; ++r) {
        const auto part = share_of(cores, r, ranks);
        EXPECT_GE(part.size(), count / ranks);
        EXPECT_LE(part.size(), count / ranks + 1);
        together.insert(together.end(), part.begin(), part.end());
      }
      EXPECT_EQ(together, cores);
    }
  }
}

TEST(ShareOfCores, IsOneEachWhereThereAreFewer) {
  const std::vector<unsigned> cores{3, 5};
  EXPECT_THAT(share_of(cores, 0, 3), ElementsAre(3));
  EXPECT_THAT(share_of(cores, 1, 3), ElementsAre(5));
  EXPECT_THAT(share_of(cores, 2, 3), ElementsAre(3));
}

SeenDevices devices(std::initializer_list<unsigned> numbers_of_machine) {
  SeenDevices seen;
  for (const unsigned number : numbers_of_machine) seen.push_back({0, 0, number});
  return seen;
}

/// Returns the devices of a rank if all ranks see the same devices.
std::vector<SharedDevice> shared_in_turn(Index rank, Index ranks, Index wanted, Index there) {
  SeenDevices seen;
  for (Index device = 0; device < there; ++device) seen.push_back({static_cast<unsigned>(device)});
  return devices_in_turn(rank, std::vector(ranks, seen), wanted);
}

std::vector<unsigned> numbers_in_turn(Index rank, Index ranks, Index wanted, Index there) {
  std::vector<unsigned> numbers;
  for (const SharedDevice& device : shared_in_turn(rank, ranks, wanted, there)) {
    numbers.push_back(device.number);
  }
  return numbers;
}

TEST(DevicesInTurn, FollowThoseOfTheRanksBefore) {
  EXPECT_THAT(numbers_in_turn(0, 3, 2, 5), ElementsAre(0, 1));
  EXPECT_THAT(numbers_in_turn(1, 3, 2, 5), ElementsAre(2, 3));
  EXPECT_THAT(numbers_in_turn(2, 3, 2, 5), ElementsAre(4, 0));
}

TEST(DevicesInTurn, AreSharedWhereThereAreFewer) {
  EXPECT_THAT(numbers_in_turn(3, 4, 1, 1), ElementsAre(0));
  EXPECT_THAT(numbers_in_turn(1, 2, 4, 2), ElementsAre(0, 1));
  EXPECT_THAT(numbers_in_turn(3, 4, 2, 0), ElementsAre());
}

TEST(DevicesInTurn, SayHowManyRanksShareEach) {
  for (const Index ranks : {1, 2, 3, 7}) {
    for (const Index wanted : {1, 2, 4}) {
      for (const Index there : {1, 2, 3, 5}) {
        std::vector<Index> sharing(there, 0);
        for (Index r = 0; r < ranks; ++r) {
          for (const unsigned device : numbers_in_turn(r, ranks, wanted, there)) ++sharing[device];
        }
        for (Index r = 0; r < ranks; ++r) {
          for (const SharedDevice& device : shared_in_turn(r, ranks, wanted, there)) {
            EXPECT_EQ(device.ranks, sharing[device.number]);
          }
        }
      }
    }
  }
}

TEST(DevicesInTurn, AreKnownByWhatTheyAreAndNotByTheirNumbers) {
  const std::vector apart{devices({4}), devices({5}), devices({})};
  EXPECT_THAT(devices_in_turn(0, apart, 1), ElementsAre(SharedDevice{0, 1}));
  EXPECT_THAT(devices_in_turn(1, apart, 1), ElementsAre(SharedDevice{0, 1}));
  EXPECT_THAT(devices_in_turn(2, apart, 1), ElementsAre());
  const std::vector turned{devices({1, 0}), devices({0, 1})};
  EXPECT_THAT(devices_in_turn(0, turned, 1), ElementsAre(SharedDevice{0, 1}));
  EXPECT_THAT(devices_in_turn(1, turned, 1), ElementsAre(SharedDevice{0, 1}));
  const std::vector some{devices({0, 1}), devices({0})};
  EXPECT_THAT(devices_in_turn(0, some, 2), ElementsAre(SharedDevice{0, 2}, SharedDevice{1, 1}));
  EXPECT_THAT(devices_in_turn(1, some, 2), ElementsAre(SharedDevice{0, 2}));
}

TEST(CoresOfARank, AreLeftToThreadsThatDriveDevices) {
  EXPECT_EQ(workers_besides_drivers(0, 4), 4);
  EXPECT_EQ(workers_besides_drivers(1, 4), 3);
  EXPECT_EQ(workers_besides_drivers(4, 4), 1);
  EXPECT_EQ(workers_besides_drivers(9, 4), 1);
}

TEST(SharedMemories, AreDividedIntoEqualParts) {
  for (const Index ranks : {1, 2, 3}) {
    const Count own = 1000 - part_of_others(1000, ranks);
    EXPECT_LE(ranks * own, 1000);
    EXPECT_GT(ranks * own, 1000 - ranks);
  }
}

}  // namespace
}  // namespace espalier::internal
