// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread_team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "espalier/error.hpp"
#include "support/no_memory_for_threads.hpp"

namespace espalier::internal {
namespace {

TEST(ThreadTeam, CallsEveryMemberOnceInEachPieceOfWork) {
  for (const Index size : {1, 2, 3, 8}) {
    ThreadTeam team(size);
    EXPECT_EQ(team.size(), size);
    // not atomic, because each member has one element, and run() waits for all members
    std::vector<int> calls(size);
    for (int round = 1; round <= 100; ++round) {
      team.run([&](Index member) { ++calls[member]; });
      ASSERT_EQ(calls, std::vector<int>(size, round));
    }
  }
}

TEST(ThreadTeam, HasTheCallingThreadAsItsFirstMember) {
  ThreadTeam team(3);
  std::vector<std::thread::id> thread(3);
  for (int round = 0; round < 2; ++round) {
    const std::vector<std::thread::id> before = thread;
    team.run([&](Index member) { thread[member] = std::this_thread::get_id(); });
    if (round == 1) {
      EXPECT_EQ(thread, before) << "the other threads do not change";
    }
  }
  EXPECT_EQ(thread[0], std::this_thread::get_id());
  EXPECT_NE(thread[1], thread[0]);
  EXPECT_NE(thread[1], thread[2]);
}

TEST(ThreadTeam, HasMembersThatWaitForEachOther) {
  constexpr Index size = 3;
  ThreadTeam team(size);
  std::vector<Index> sum(size);
  for (int round = 0; round < 100; ++round) {
    std::vector<Index> written(size);
    team.run([&](Index member) {
      written[member] = member + 1;
      team.wait_for_all();
      sum[member] = written[0] + written[1] + written[2];
    });
    ASSERT_EQ(sum, std::vector<Index>(size, 6));
  }
}

TEST(ThreadTeam, DoesNotStartWithFewerThreads) {
  const support::NoMemoryForThreads none;
  EXPECT_THROW(ThreadTeam(4), RuntimeFailure);
}

}  // namespace
}  // namespace espalier::internal
