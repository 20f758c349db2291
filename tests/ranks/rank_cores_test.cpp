// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/rank_cores.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace espalier::internal {
namespace {

/// All ranks of these tests run on one machine and are not bound to cores.
TEST(CoresOfRank, AreAllTheMachinesTogether) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::vector<unsigned> all = cores_of_rank(MPI_COMM_SELF);
  const std::vector<unsigned> own = cores_of_rank(MPI_COMM_WORLD);
  ASSERT_FALSE(own.empty());
  const int share = static_cast<int>(own.size());
  std::vector<int> counts(ranks);
  MPI_Allgather(&share, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> begin(ranks, 0);
  for (int r = 1; r < ranks; ++r) begin[r] = begin[r - 1] + counts[r - 1];
  std::vector<unsigned> together(begin.back() + counts.back());
  MPI_Allgatherv(own.data(), share, MPI_UNSIGNED, together.data(), counts.data(), begin.data(),
                 MPI_UNSIGNED, MPI_COMM_WORLD);
  EXPECT_EQ(together.size(), std::max(all.size(), counts.size()));
  EXPECT_EQ(std::set<unsigned>(together.begin(), together.end()),
            std::set<unsigned>(all.begin(), all.end()));
}

}  // namespace
}  // namespace espalier::internal
