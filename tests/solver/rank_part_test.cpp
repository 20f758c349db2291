// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_part.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "mapping/subtrees.hpp"
#include "solver/entry_map.hpp"
#include "solver/values_of_part.hpp"
#include "support/problems.hpp"

namespace espalier {
namespace {

using support::NamedMatrix;

/// Calls visit(matrix, structure, entries, map) for sample problems, ranks and mappings.
template <class Visit>
void for_each_map(Visit visit) {
  for (const NamedMatrix& named : support::solver_problems()) {
    const SymbolicFactor whole = support::structure_of(named.matrix);
    const PanelEntries entries = map_entries(named.matrix.pattern, whole);
    for (const Index ranks : {1, 2, 5}) {
      for (const Mapping mapping : {Mapping::proportional, Mapping::block_cyclic}) {
        SCOPED_TRACE(named.name + ", " + std::to_string(ranks) + " ranks");
        const std::vector<double> seconds = panel_seconds(whole, KernelCost{});
        visit(named.matrix, whole, entries, map_to_ranks(whole, seconds, ranks, mapping));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

/// The entries of A that a part stands for: row and column of A, larger first, and value.
using EntrySet = std::set<std::pair<std::pair<Index, Index>, double>>;

EntrySet entries_of(const RankPart& part, const std::vector<double>& values) {
  EntrySet found;
  const LocalStructure& local = part.structure;
  for (Index p = 0; p < local.panels(); ++p) {
    for (Index j = local.panel_begin[p]; j < local.panel_begin[p + 1]; ++j) {
      for (Count k = part.entries.begin[j]; k < part.entries.begin[j + 1]; ++k) {
        const PanelEntry entry = part.entries.entry[k];
        const Index row = local.rows(p)[entry.local_row()];
        const auto [low, high] = std::minmax(part.original[row], part.original[j]);
        found.insert({{high, low}, values[entry.source()]});
      }
    }
  }
  return found;
}

TEST(RankPart, OfAllRanksHasAllEntriesOfA) {
  for_each_map([](const SparseMatrix& a, const auto& whole, const auto& entries, const auto& map) {
    EntrySet expected;
    for (Index j = 0; j < a.pattern.n; ++j) {
      for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
        expected.insert({{a.pattern.row[k], j}, a.value[k]});
      }
    }
    EntrySet found;
    const std::vector<Index> owners = owners_of_entries(whole, entries, map);
    std::size_t own = 0;
    std::size_t shared = 0;
    for (Index rank = 0; rank < map.ranks; ++rank) {
      const RankPart part = rank_part(whole, entries, map, rank);
      const std::vector<double> values = support::values_of_part(owners, rank, a.value);
      ASSERT_EQ(values.size(), part.entries.entry.size());
      found.merge(entries_of(part, values));
      const Count first_shared = part.entries.begin[part.structure.own_columns()];
      own += static_cast<std::size_t>(first_shared);
      shared = values.size() - static_cast<std::size_t>(first_shared);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(own + shared, a.value.size());
  });
}

TEST(RankPart, KnowsTheColumnsOfA) {
  for_each_map([](const auto&, const SymbolicFactor& whole, const auto& entries, const auto& map) {
    const RankPart part = rank_part(whole, entries, map, map.ranks - 1);
    ASSERT_EQ(std::ssize(part.original), part.structure.n);
    for (Index j = 0; j < part.structure.n; ++j) {
      ASSERT_EQ(whole.permutation.new_of[part.original[j]], part.structure.column[j]);
    }
  });
}

}  // namespace
}  // namespace espalier
