// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/factor_memory.hpp"

#include <gtest/gtest.h>

#include "mapping/subtrees.hpp"

namespace espalier::internal {
namespace {

TEST(ViewOfGroup, HasAllEntriesOfIt) {
  constexpr Count half = Count{1} << 31;
  for (const Count length : {Count{0}, Count{8}, half - 8, half, half + 8, 2 * half, 2 * half + 8,
                             most_entries_of_group}) {
    const MatrixView view = view_of_group(nullptr, length);
    EXPECT_EQ(Count{view.rows} * view.columns, length);
    EXPECT_EQ(view.ld, view.rows);
  }
}

}  // namespace
}  // namespace espalier::internal
