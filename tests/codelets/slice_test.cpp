// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/slice.hpp"

#include <gtest/gtest.h>

#include "codelets/dense_sample.hpp"

namespace espalier {
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
          EXPECT_NEAR(own, fair, (slice_unit + 1.0) * std::max(triangle, 1))
              << rows << " rows, triangle " << triangle << ", slice " << rank << " of " << size;
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier
