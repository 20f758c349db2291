// SPDX-License-Identifier: BSD-3-Clause

#include "base/operations.hpp"

#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

TEST(OperationCounts, CountATrapezoidAsSyrkAndGemm) {
  OperationCounts counts;
  counts.trapezoid(10, 4, 3);
  EXPECT_EQ(counts.of(Operation::syrk).count, 1);
  EXPECT_EQ(counts.of(Operation::gemm).count, 1);
  EXPECT_EQ(counts.of(Operation::syrk).flops + counts.of(Operation::gemm).flops,
            flops::trapezoid(10, 4, 3));
  counts.trapezoid(4, 4, 3);
  EXPECT_EQ(counts.of(Operation::syrk).count, 2);
  EXPECT_EQ(counts.of(Operation::gemm).count, 1) << "there are no rows below";
}

TEST(OperationCounts, LeaveOutOperationsOnNothing) {
  OperationCounts counts;
  counts.trsm(0, 5);
  counts.gemm(3, 0, 5);
  counts.potrf(0);
  for (const auto& done : counts.done) EXPECT_EQ(done.count, 0);
}

TEST(OperationCounts, AddUp) {
  OperationCounts one;
  one.potrf(6);
  one.trsm(2, 6);
  OperationCounts two = one;
  two += one;
  EXPECT_EQ(two.of(Operation::potrf).count, 2);
  EXPECT_EQ(two.of(Operation::potrf).flops, 2 * flops::potrf(6));
  EXPECT_EQ(two.of(Operation::trsm).flops, 2 * flops::trsm(2, 6));
}

}  // namespace
}  // namespace espalier::internal
