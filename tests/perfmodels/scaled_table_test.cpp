// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/scaled_table.hpp"

#include <gtest/gtest.h>

#include "perfmodels/sample_files.hpp"

namespace espalier::internal {
namespace {

CostTable scaled_sample(double computations, double memory) {
  CostTable table = support::sample_costs().table;
  table.gemm_alone = {{1, 1, 2}, {3e-10, 2e-10}};
  table.scatter = {{1, 1, 1}, {2e-9}};
  scale(table, computations, memory);
  return table;
}

TEST(ScaledTable, HasOneFactorForComputationsAndOneForMemory) {
  const CostTable table = support::sample_costs().table;
  const CostTable scaled = scaled_sample(2, 3);
  EXPECT_DOUBLE_EQ(scaled.potrf.seconds[1], 2 * table.potrf.seconds[1]);
  EXPECT_DOUBLE_EQ(scaled.trsm.seconds[2], 2 * table.trsm.seconds[2]);
  EXPECT_DOUBLE_EQ(scaled.syrk_again.seconds[3], 2 * table.syrk_again.seconds[3]);
  EXPECT_DOUBLE_EQ(scaled.gemm_again.seconds[7], 2 * table.gemm_again.seconds[7]);
  EXPECT_DOUBLE_EQ(scaled.gemm_alone.seconds[1], 4e-10);
  EXPECT_DOUBLE_EQ(scaled.scatter.seconds[0], 6e-9);
  EXPECT_DOUBLE_EQ(scaled.take, 2 * table.take);
  EXPECT_DOUBLE_EQ(scaled.line, 2 * table.line);
  EXPECT_DOUBLE_EQ(scaled.task, 2 * table.task);
  EXPECT_DOUBLE_EQ(scaled.fill, 3 * table.fill);
  EXPECT_DOUBLE_EQ(scaled.read, 3 * table.read);
}

TEST(ScaledTable, SplitsUpdatesIntoAccessesAndComputations) {
  const CostTable scaled = scaled_sample(2, 3);
  // GEMM of a 1 x 1 target takes 8e-10 s per operation with inner dimension 1, which are accesses.
  // With inner dimension 2, an operation takes 7e-10 s, so 4e-10 s for accesses and 3e-10 s more.
  EXPECT_DOUBLE_EQ(scaled.gemm.seconds[0], 3 * 8e-10);
  EXPECT_DOUBLE_EQ(scaled.gemm.seconds[1], 3 * 4e-10 + 2 * 3e-10);
  EXPECT_DOUBLE_EQ(scaled.gemm.seconds[6], 3 * 2e-10);
  // Here inner dimension 2 takes less than twice the time, but all of it is accesses.
  EXPECT_DOUBLE_EQ(scaled.gemm.seconds[7], 3 * 1e-10);
  EXPECT_DOUBLE_EQ(scaled.syrk.seconds[0], 3 * 1e-9);
  EXPECT_DOUBLE_EQ(scaled.syrk.seconds[1], 3 * 5e-10 + 2 * 1e-10);
}

TEST(ScaledTable, IsTheSameWithFactorsOfOne) {
  const CostTable table = support::sample_costs().table;
  const CostTable same = scaled_sample(1, 1);
  for (std::size_t i = 0; i < table.gemm.seconds.size(); ++i) {
    EXPECT_DOUBLE_EQ(same.gemm.seconds[i], table.gemm.seconds[i]);
  }
  EXPECT_EQ(same.history.buckets().size(), table.history.buckets().size());
}

}  // namespace
}  // namespace espalier::internal
