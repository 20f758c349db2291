// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/decide/halo.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

constexpr HaloSide host{HaloSide::Kind::host};
constexpr HaloSide anywhere{HaloSide::Kind::anywhere};

TEST(HaloSide, OfWhatWritesAShadowIsItsDevice) {
  const TaskFacts task{.ours = true, .device = 3};
  EXPECT_EQ(halo_side(task, 4, true), (HaloSide{HaloSide::Kind::device, 3}));
  EXPECT_EQ(halo_side(task, 2, true), (HaloSide{HaloSide::Kind::device, 1}));
  EXPECT_EQ(halo_side(task, 2, false), (HaloSide{HaloSide::Kind::device, 1}));
}

TEST(HaloSide, OfOtherTasksOfOursIsTheHost) {
  EXPECT_EQ(halo_side({.ours = true}, 2, true), host);
  EXPECT_EQ(halo_side({.ours = true, .device = 1}, 0, true), host);
}

TEST(HaloSide, OfAllElseIsWhereAWorkerIs) {
  EXPECT_EQ(halo_side({}, 2, true), anywhere);
  EXPECT_EQ(halo_side({.ours = true}, 2, false), anywhere);
}

}  // namespace
}  // namespace espalier
