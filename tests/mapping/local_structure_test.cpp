// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/local_structure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <string>

#include "mapping/subtrees.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::NamedStructure;
using support::sample_structures;

/// Calls visit(structure, map, local structures of all ranks) for all samples, numbers of ranks and
/// mappings.
template <class Visit>
void for_each_division(Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    for (const Index ranks : {1, 2, 3, 4, 8}) {
      for (const Mapping mapping : support::mappings) {
        SCOPED_TRACE(sample.name + ", " + std::to_string(ranks) + " ranks, mapping " +
                     std::to_string(static_cast<int>(mapping)));
        const PanelStructure& whole = sample.symbolic;
        const RankMap map =
            support::map_to_ranks(whole, panel_seconds(whole, KernelCost{}), ranks, mapping);
        std::vector<LocalStructure> locals;
        for (Index r = 0; r < ranks; ++r) locals.push_back(support::local_structure(whole, map, r));
        visit(whole, map, locals);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(LocalStructure, KeepsTheInvariantsOfStructures) {
  for_each_division([](const auto&, const RankMap& map, const auto& locals) {
    for (Index r = 0; r < map.ranks; ++r) {
      EXPECT_EQ(locals[r].rank, r);
      EXPECT_EQ(locals[r].ranks, map.ranks);
      EXPECT_NO_THROW(check(locals[r]));
    }
  });
}

TEST(LocalStructure, OfAllRanksIsTheWholeWithTheSameRows) {
  for_each_division([](const PanelStructure& whole, const RankMap& map, const auto& locals) {
    for (const LocalStructure& local : locals) {
      std::vector<Index> panels;
      for (const Index domain : {local.rank, RankMap::shared}) {
        for (Index p = 0; p < whole.panels(); ++p) {
          if (map.domain[p] == domain) panels.push_back(p);
        }
        if (domain == local.rank) {
          EXPECT_EQ(local.shared_begin, std::ssize(panels));
        }
      }
      ASSERT_EQ(local.panels(), std::ssize(panels));
      for (Index p = 0; p < local.panels(); ++p) {
        std::vector<Index> rows;
        for (const Index row : local.rows(p)) rows.push_back(local.column[row]);
        ASSERT_THAT(rows, testing::ElementsAreArray(whole.rows(panels[p]))) << "panel " << p;
        ASSERT_EQ(local.width(p), whole.width(panels[p]));
      }
    }
  });
}

TEST(LocalStructure, NumbersSharedPanelsAlikeButForTheOffset) {
  for_each_division([](const auto&, const auto&, const auto& locals) {
    const LocalStructure& first = locals.front();
    for (const LocalStructure& local : locals) {
      ASSERT_EQ(local.panels() - local.shared_begin, first.panels() - first.shared_begin);
      const Index offset = local.own_columns() - first.own_columns();
      for (Index k = 0; k < local.panels() - local.shared_begin; ++k) {
        const auto rows = local.rows(local.shared_begin + k);
        const auto expected = first.rows(first.shared_begin + k);
        ASSERT_EQ(rows.size(), expected.size());
        for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], expected[i] + offset);
      }
      ASSERT_EQ(local.boundary, first.boundary);
      for (std::size_t i = 0; i < local.boundary_row.size(); ++i) {
        ASSERT_EQ(local.boundary_row[i], first.boundary_row[i] + offset);
      }
    }
  });
}

TEST(LocalStructure, AgreesBetweenRanksOnOwners) {
  for_each_division([](const auto&, const RankMap& map, const auto& locals) {
    const LocalStructure& first = locals.front();
    for (const LocalStructure& local : locals) {
      for (Index p = 0; p < local.shared_begin; ++p) ASSERT_EQ(local.owner(p, p), local.rank);
      for (Index p = local.shared_begin; p < local.panels(); ++p) {
        for (const Block& b : local.blocks(p)) {
          const Index owner = local.owner(p, b.facing);
          const Index shift = first.shared_begin - local.shared_begin;
          ASSERT_EQ(owner, first.owner(p + shift, b.facing + shift));
          ASSERT_GE(owner, 0);
          ASSERT_LT(owner, map.ranks);
        }
      }
    }
  });
}

/// Computes the boundaries by brute force: the shared rows of all panels of a domain, for each
/// maximal subtree of the domain.
TEST(LocalStructure, HasTheRowsOutsideOfAllDomainsAsBoundaries) {
  for_each_division([](const PanelStructure& whole, const RankMap& map, const auto& locals) {
    std::vector<std::set<Index>> outside(whole.panels());
    std::set<std::pair<Index, std::set<Index>>> expected;
    for (Index p = 0; p < whole.panels(); ++p) {
      if (map.domain[p] == RankMap::shared) continue;
      for (const Index row : whole.rows(p)) outside[p].insert(row);
      const Index parent = whole.parent(p);
      if (parent >= 0 && map.domain[parent] != RankMap::shared) {
        outside[parent].insert(outside[p].begin(), outside[p].end());
        continue;
      }
      std::erase_if(outside[p], [&](Index row) { return row < whole.panel_begin[p + 1]; });
      if (!outside[p].empty()) expected.insert({map.domain[p], outside[p]});
    }
    for (const LocalStructure& local : locals) {
      std::set<std::pair<Index, std::set<Index>>> found;
      for (const auto& boundary : local.boundary) {
        std::set<Index> rows;
        for (const Index row : local.rows_of(boundary)) rows.insert(local.column[row]);
        found.insert({boundary.rank, rows});
      }
      ASSERT_EQ(found, expected);
      ASSERT_EQ(local.boundary.size(), expected.size());
    }
  });
}

TEST(LocalStructure, StoresTheDomainAlone) {
  for_each_division([](const PanelStructure&, const auto&, const auto& locals) {
    for (const LocalStructure& local : locals) {
      for (Index p = 0; p < local.panels(); ++p) {
        const Count space = local.value_begin[p + 1] - local.value_begin[p];
        if (p < local.shared_begin) {
          ASSERT_GE(space, Count{local.width(p)} * local.height(p));
        } else {
          ASSERT_EQ(space, 0);
        }
      }
    }
  });
}

TEST(LocalStructure, OfNothingIsEmpty) {
  const PanelStructure nothing;
  const LocalStructure local =
      support::local_structure(nothing, support::map_to_ranks(nothing, {}, 3), 2);
  EXPECT_EQ(local.panels(), 0);
  EXPECT_TRUE(local.boundary.empty());
  EXPECT_NO_THROW(check(local));
}

/// Returns the complaint of check() after the damage to a good structure.
std::string complaint_about(const std::function<void(LocalStructure&)>& damage) {
  const SymbolicFactor arrow =
      support::structure_of(support::arrow_head_last(9), {"natural", 8, {{0, 0, 0, 0}, {}}});
  std::vector<double> seconds(9, 1.0);
  seconds.back() = 0.1;
  const RankMap map = support::map_to_ranks(arrow, seconds, 2);
  LocalStructure local = support::local_structure(arrow, map, 1);
  damage(local);
  try {
    check(local);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(CheckLocalStructure, NamesTheFirstBrokenInvariant) {
  using testing::HasSubstr;
  EXPECT_EQ(complaint_about([](auto&) {}), "");
  EXPECT_THAT(complaint_about([](auto& l) { l.grid.clear(); }), HasSubstr("there are 0 grids"));
  EXPECT_THAT(complaint_about([](auto& l) { l.shared_begin = 6; }), HasSubstr("begin at 6 of 5"));
  EXPECT_THAT(complaint_about([](auto& l) { l.grid[0].first = 1; }),
              HasSubstr("a grid has the ranks from 1 to 3 of 2"));
  EXPECT_THAT(complaint_about([](auto& l) { std::swap(l.column[0], l.column[1]); }),
              HasSubstr("column 1 is"));
  EXPECT_THAT(complaint_about([](auto& l) { l.value_begin.back() += 8; }), HasSubstr("values"));
  EXPECT_THAT(complaint_about([](auto& l) { l.boundary[1].rank = 2; }),
              HasSubstr("a boundary is of rank 2, after 0 of 2"));
  EXPECT_THAT(complaint_about([](auto& l) { l.boundary_row[0] = 0; }),
              HasSubstr("a boundary has row 0"));
  EXPECT_THAT(complaint_about([](auto& l) { l.boundary.pop_back(); }), HasSubstr("end at 1 of 2"));
}

}  // namespace
}  // namespace espalier::internal
