// SPDX-License-Identifier: BSD-3-Clause
#include "base/graph_search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace espalier::internal {
namespace {

TEST(GraphSearch, TakesTime) {
  const double seconds = graph_search_seconds();
  EXPECT_TRUE(std::isfinite(seconds));
  EXPECT_GT(seconds, 0);
}

}  // namespace
}  // namespace espalier::internal
