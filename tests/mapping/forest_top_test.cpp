// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/forest_top.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "mapping/rank_work.hpp"
#include "mapping/subtrees.hpp"
#include "matrix/generators.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

/// Calls visit(whole, seconds, ranks, top). The columns of the top have the same order as in the
/// whole structure.
template <class Visit>
void for_each_top(Visit visit) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    const SymbolicFactor whole = support::structure_of(named.matrix);
    const std::vector<double> seconds = sizes_only_seconds(whole, KernelCost{});
    for (const Index ranks : {1, 2, 5, 13}) {
      SCOPED_TRACE(named.name + ", " + std::to_string(ranks) + " ranks");
      visit(whole, seconds, ranks, forest_top(whole, named.matrix.pattern, seconds, ranks, false));
      if (testing::Test::HasFailure()) return;
    }
  }
}

bool has(const ForestTop& top, const SymbolicFactor& whole, Index s) {
  const Index first = top.structure.supernode_begin[top.place[s]];
  return top.column[first] == whole.supernode_begin[s];
}

TEST(ForestTop, HasTheRowsOfTheWhole) {
  for_each_top([](const SymbolicFactor& whole, const auto&, Index, const ForestTop& top) {
    Index found = 0;
    for (Index s = 0; s < whole.supernodes(); ++s) {
      if (!has(top, whole, s)) continue;
      ++found;
      std::vector<Index> rows;
      const Index t = top.place[s];
      for (Count k = top.structure.row_begin[t]; k < top.structure.row_begin[t + 1]; ++k) {
        rows.push_back(top.column[top.structure.row[k]]);
      }
      ASSERT_EQ(rows, std::vector<Index>(whole.row.begin() + whole.row_begin[s],
                                         whole.row.begin() + whole.row_begin[s + 1]));
    }
    EXPECT_EQ(found, top.structure.supernodes());
  });
}

TEST(ForestTop, HasWhatTheWholeWouldShareAndAllNextBelow) {
  for_each_top(
      [](const SymbolicFactor& whole, const auto& seconds, Index ranks, const ForestTop& top) {
        for (const Mapping mapping : support::mappings) {
          const RankMap map = support::map_to_ranks(whole, seconds, ranks, mapping);
          for (Index p = 0; p < whole.panels(); ++p) {
            const Index s = whole.panel_supernode[p];
            const Index parent = whole.parent(p);
            const bool below = parent >= 0 && map.domain[parent] == RankMap::shared;
            if (below || map.domain[p] == RankMap::shared) {
              ASSERT_TRUE(has(top, whole, s)) << s;
            }
          }
        }
      });
}

TEST(ForestTop, IsTheWholeWhereRanksOwnBlocksAlone) {
  for (const support::NamedMatrix& named : support::solver_problems()) {
    const SymbolicFactor whole = support::structure_of(named.matrix);
    const ForestTop top =
        forest_top(whole, named.matrix.pattern, sizes_only_seconds(whole, KernelCost{}), 3, false,
                   1, Alone::blocks);
    EXPECT_EQ(top.structure.supernodes(), whole.supernodes()) << named.name;
    EXPECT_EQ(top.structure.panel_begin, whole.panel_begin) << named.name;
    EXPECT_EQ(top.structure.row, whole.row) << named.name;
  }
}

TEST(ForestTop, CarriesTheLoadOfTheWhole) {
  for_each_top([](const SymbolicFactor& whole, const auto& seconds, Index, const ForestTop& top) {
    Load expected;
    for (const Load& load : panel_loads(whole, seconds)) expected += load;
    Load found;
    for (const Load& load : top.load) found += load;
    EXPECT_DOUBLE_EQ(found.entries, expected.entries);
    EXPECT_NEAR(found.seconds, expected.seconds, 1e-12 * expected.seconds);
  });
}

TEST(SizesOnlySeconds, AreNearThoseOfTheBlocks) {
  for (const char* spec : {"laplace2d:50", "laplace3d:12", "elasticity3d:6x6x6"}) {
    const SymbolicFactor whole = support::structure_of(generate_matrix(spec), {"amd", 64, {}});
    const auto sum = [](const std::vector<double>& seconds) {
      return std::accumulate(seconds.begin(), seconds.end(), 0.0);
    };
    const double expected = sum(panel_seconds(whole, KernelCost{}));
    EXPECT_NEAR(sum(sizes_only_seconds(whole, KernelCost{})), expected, 0.25 * expected) << spec;
  }
}

}  // namespace
}  // namespace espalier::internal
