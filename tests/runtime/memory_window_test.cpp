// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory_window.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

constexpr auto made = MemoryWindow::Sort::made;
constexpr auto received = MemoryWindow::Sort::received;

TEST(MemoryWindow, AdmitsWhatFits) {
  MemoryWindow window(10);
  EXPECT_TRUE(window.admit(received, 4));
  EXPECT_TRUE(window.admit(received, 6));
  EXPECT_FALSE(window.admit(received, 1));
  window.give_back(received, 1);
  EXPECT_TRUE(window.admit(received, 1));
  EXPECT_FALSE(window.admit(received, 1));
}

/// Else what waits for all of a group would wait for ever.
TEST(MemoryWindow, AdmitsGroupsAsAWhole) {
  MemoryWindow window(10);
  EXPECT_TRUE(window.admit(received, 9));
  EXPECT_TRUE(window.admit(received, 0));
  EXPECT_FALSE(window.admit(received, 2));
  EXPECT_TRUE(window.admit(received, 0));
}

TEST(MemoryWindow, AdmitsAnyGroupWhereThereIsNoOtherOfItsSort) {
  MemoryWindow window(10);
  for (const auto sort : {made, received}) {
    EXPECT_TRUE(window.admit(sort, 100));
    EXPECT_FALSE(window.admit(sort, 1));
    window.give_back(sort, 60);
    EXPECT_FALSE(window.admit(sort, 1));
    window.give_back(sort, 40);
    EXPECT_TRUE(window.admit(sort, 1));
  }
}

TEST(MemoryWindow, LeavesHalfToWhatIsReceived) {
  MemoryWindow window(10);
  EXPECT_TRUE(window.admit(made, 3));
  EXPECT_TRUE(window.admit(made, 2));
  EXPECT_FALSE(window.admit(made, 1));
  EXPECT_TRUE(window.admit(received, 2));
  EXPECT_TRUE(window.admit(received, 3));
  EXPECT_FALSE(window.admit(received, 1));
  window.give_back(made, 4);
  EXPECT_TRUE(window.admit(received, 4));
  EXPECT_FALSE(window.admit(made, 1));
  window.give_back(received, 1);
  EXPECT_TRUE(window.admit(made, 1));
}

TEST(MemoryWindow, KnowsTheMostItMayHold) {
  const MemoryWindow window(10);
  EXPECT_EQ(window.most(0, 0), 10);
  EXPECT_EQ(window.most(3, 5), 13);
  EXPECT_EQ(window.most(3, 20), 25);
  EXPECT_EQ(window.most(30, 20), 50);
}

TEST(MemoryWindow, KnowsTheMostItHeld) {
  MemoryWindow window(10);
  EXPECT_EQ(window.most_held(), 0);
  window.admit(received, 8);
  window.give_back(received, 5);
  window.admit(received, 4);
  window.admit(made, 3);
  EXPECT_EQ(window.most_held(), 10);
}

}  // namespace
}  // namespace espalier
