// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory_window.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(MemoryWindow, AdmitsWhatFits) {
  MemoryWindow window(10);
  EXPECT_TRUE(window.admit(4));
  EXPECT_TRUE(window.admit(6));
  EXPECT_FALSE(window.admit(1));
  window.give_back(1);
  EXPECT_TRUE(window.admit(1));
  EXPECT_FALSE(window.admit(1));
}

/// Else what waits for all of a group would wait for ever.
TEST(MemoryWindow, AdmitsGroupsAsAWhole) {
  MemoryWindow window(10);
  EXPECT_TRUE(window.admit(9));
  EXPECT_TRUE(window.admit(0));
  EXPECT_FALSE(window.admit(2));
  EXPECT_TRUE(window.admit(0));
}

TEST(MemoryWindow, AdmitsAnyGroupWhereThereIsNoOther) {
  MemoryWindow window(10);
  EXPECT_TRUE(window.admit(100));
  EXPECT_FALSE(window.admit(1));
  window.give_back(60);
  EXPECT_FALSE(window.admit(1));
  window.give_back(40);
  EXPECT_TRUE(window.admit(1));
}

TEST(MemoryWindow, KnowsTheMostItHeld) {
  MemoryWindow window(10);
  EXPECT_EQ(window.most_held(), 0);
  window.admit(8);
  window.give_back(5);
  window.admit(4);
  EXPECT_EQ(window.most_held(), 8);
}

}  // namespace
}  // namespace espalier
