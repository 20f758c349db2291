// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/worker_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Places = std::vector<WorkerPlace>;

TEST(WorkerGroups, AreTheDomainsWhereNoNumberIsAskedFor) {
  EXPECT_THAT(groups_of(Places{{0, 5}, {1, 2}, {2, 5}, {3, 2}, {4, 7}}, 0),
              ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2), ElementsAre(4)));
  EXPECT_THAT(groups_of(Places{{0, 0}, {1, 0}}, 0), ElementsAre(ElementsAre(0, 1)));
  EXPECT_THAT(groups_of({}, 0), IsEmpty());
}

TEST(WorkerGroups, AreOfNearlyEqualSizeWithNeighboursTogether) {
  EXPECT_THAT(groups_of(Places{{0, 1}, {1, 0}, {2, 1}, {3, 0}}, 2),
              ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2)));
  for (Index count = 1; count <= 9; ++count) {
    Places places;
    for (Index worker = 0; worker < count; ++worker) places.push_back({worker, 0});
    for (Index groups = 1; groups <= 9; ++groups) {
      const auto divided = groups_of(places, groups);
      ASSERT_EQ(std::ssize(divided), std::min(groups, count)) << "at most one group per worker";
      int next = 0;
      for (const std::vector<int>& group : divided) {
        EXPECT_GE(std::ssize(group), count / std::min(groups, count));
        EXPECT_LE(std::ssize(group), count / std::min(groups, count) + 1);
        for (const int worker : group) EXPECT_EQ(worker, next++);
      }
      EXPECT_EQ(next, count);
    }
  }
}

}  // namespace
}  // namespace espalier::internal
