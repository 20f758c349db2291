// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/context.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "codelets/samples.hpp"

namespace espalier::internal {
namespace {

TEST(Failure, HasNotHappenedAtFirst) {
  const Failure failure;
  EXPECT_FALSE(failure.happened());
  EXPECT_EQ(failure.column(), -1);
}

TEST(Failure, KeepsTheSmallestColumn) {
  Failure failure;
  failure.report(7);
  EXPECT_TRUE(failure.happened());
  EXPECT_EQ(failure.column(), 7);
  failure.report(9);
  EXPECT_EQ(failure.column(), 7);
  failure.report(0);
  EXPECT_EQ(failure.column(), 0);
}

TEST(Failure, IsForgottenByReset) {
  Failure failure;
  failure.report(3);
  failure.reset();
  EXPECT_FALSE(failure.happened());
  failure.report(8);
  EXPECT_EQ(failure.column(), 8);
}

TEST(Failure, ElsewhereHasNoColumnHere) {
  Failure failure;
  failure.report_elsewhere();
  EXPECT_TRUE(failure.happened());
  EXPECT_EQ(failure.column(), -1);
  failure.report(8);
  failure.report_elsewhere();
  EXPECT_EQ(failure.column(), 8);
}

TEST(Failure, KeepsTheSmallestColumnOfManyThreads) {
  constexpr Index threads = 4;
  constexpr Index reports = 5000;
  Failure failure;
  std::vector<std::thread> all;
  for (Index t = 0; t < threads; ++t) {
    all.emplace_back([&failure, t] {
      for (Index i = reports; i > 0; --i) failure.report(10 + threads * i + t);
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(failure.column(), 10 + threads);
}

}  // namespace
namespace {

TEST(Slices, CoverAllRowsOnceInTheirOrder) {
  for (const Index rows : support::awkward_sizes) {
    for (const Index triangle : support::awkward_sizes) {
      for (const Index size : {1, 2, 3, 4, 16, 300}) {
        Index end = 0;
        for (Index rank = 0; rank < size; ++rank) {
          const RowRange slice = rows_of_slice({rank, size}, rows, triangle);
          ASSERT_EQ(slice.begin, end) << rows << " rows, triangle " << triangle << ", " << size;
          ASSERT_GE(slice.end, slice.begin);
          end = slice.end;
        }
        ASSERT_EQ(end, rows);
      }
    }
  }
}

double entries(Index rows, Index triangle) {
  double sum = 0;
  for (Index i = 0; i < rows; ++i) sum += triangle == 0 ? 1 : std::min(i + 1, triangle);
  return sum;
}

TEST(Slices, HaveAsManyEntriesEachButForHalfAUnitOfRowsAtEachEnd) {
  for (const Index rows : {65, 257, 1000}) {
    for (const Index triangle : {0, 1, 48, 257}) {
      for (const Index size : {2, 4, 7}) {
        const double fair = entries(rows, triangle) / size;
        for (Index rank = 0; rank < size; ++rank) {
          const RowRange slice = rows_of_slice({rank, size}, rows, triangle);
          const double own = entries(slice.end, triangle) - entries(slice.begin, triangle);
          EXPECT_DOUBLE_EQ(share_of_slice({rank, size}, rows, triangle),
                           own / entries(rows, triangle));
          EXPECT_NEAR(own, fair, (slice_unit + 1.0) * std::max(triangle, 1))
              << rows << " rows, triangle " << triangle << ", slice " << rank << " of " << size;
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::internal
