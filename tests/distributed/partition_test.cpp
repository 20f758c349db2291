// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "distributed/values_of_part.hpp"
#include "mapping/subtrees.hpp"
#include "ordering/ordering.hpp"
#include "solver/entry_map.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"
#include "symbolic/block_structure.hpp"

namespace espalier::internal {
namespace {

using support::NamedMatrix;
using testing::ContainerEq;

/// A matrix divided among ranks, without messages.
struct Divided {
  Divided(const SparseMatrix& a, const SymbolicFactor& sizes_only, Index ranks, Mapping mapping,
          bool refine)
      : division({sizes_only, a.pattern, cost, mapping, nullptr, refine, 1}, ranks) {
    for (Index rank = 0; rank < ranks; ++rank) {
      const DomainSizes domain = division.domain(rank);
      std::vector<ColumnPair> entries = support::places_of_part(division, rank, a.pattern);
      EXPECT_EQ(std::ssize(entries), domain.entries);
      parts.push_back(rank_part(domain, division.shared(), std::move(entries), rank, refine));
    }
  }

  KernelCost cost;
  RankDivision division;
  std::vector<RankPart> parts;
};

Permutation ordered(const CompressedGraph& graph, const std::string& method) {
  OrderingRequest request;
  request.method = method;
  return order(graph, request).permutation;
}

SymbolicFactor sizes_only_of(const SparseMatrix& a, const std::string& ordering) {
  const CompressedGraph graph = graph_to_order(a.pattern, ordering);
  const Permutation permutation = ordered(graph, ordering);
  return symbolic_sizes(graph, permutation, counted_order(graph, permutation),
                        {support::StructureOptions{}.amalgamation, 8});
}

/// Calls visit(matrix, sizes_only, divided) for sample problems, ranks and mappings.
template <class Visit>
void for_each_division(Visit visit) {
  for (const NamedMatrix& named : support::solver_problems()) {
    const SymbolicFactor sizes_only = sizes_only_of(named.matrix, "amd");
    for (const Index ranks : {1, 2, 3, 5, 13}) {
      for (const Mapping mapping : support::mappings) {
        for (const bool refine : {true, false}) {
          SCOPED_TRACE(named.name + ", " + std::to_string(ranks) + " ranks, mapping " +
                       std::to_string(static_cast<int>(mapping)) + (refine ? "" : ", as ordered"));
          visit(named.matrix, sizes_only,
                Divided(named.matrix, sizes_only, ranks, mapping, refine));
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

/// Returns the column of A for each column of L, from all parts.
Permutation permutation_of(const std::vector<RankPart>& parts, Index n) {
  std::vector<Index> old_of(static_cast<std::size_t>(n), -1);
  for (const RankPart& part : parts) {
    for (Index j = 0; j < part.structure.n; ++j) {
      Index& old = old_of[part.structure.column[j]];
      EXPECT_TRUE(old == -1 || old == part.original[j]);
      old = part.original[j];
    }
  }
  return Permutation::from_old_of(std::move(old_of));
}

/// Returns the rows of each column of L, in the order of `permutation`. A column of L has the rows
/// of A and those of its children in the elimination tree.
std::vector<std::set<Index>> columns_of_l(const LowerPattern& a, const Permutation& permutation) {
  std::vector<std::set<Index>> rows(static_cast<std::size_t>(a.n));
  for (Index j = 0; j < a.n; ++j) {
    for (Count k = a.column_begin[j]; k < a.column_begin[j + 1]; ++k) {
      const auto [low, high] = std::minmax(permutation.new_of[j], permutation.new_of[a.row[k]]);
      rows[low].insert(high);
    }
  }
  for (const std::set<Index>& column : rows) {
    if (column.size() == 1) continue;
    const auto parent = std::next(column.begin());
    rows[*parent].insert(parent, column.end());
  }
  return rows;
}

/// Returns the whole structure, ordered by `permutation`, with the supernodes and panels of
/// `sizes_only`.
PanelStructure whole_structure(const SparseMatrix& a, const SymbolicFactor& sizes_only,
                               const Permutation& permutation) {
  const auto columns = columns_of_l(a.pattern, permutation);
  PanelStructure whole;
  whole.n = sizes_only.n;
  whole.supernode_begin = sizes_only.supernode_begin;
  whole.panel_begin = sizes_only.panel_begin;
  whole.panel_supernode = sizes_only.panel_supernode;
  for (Index s = 0; s < sizes_only.supernodes(); ++s) {
    std::set<Index> rows;
    for (Index j = sizes_only.supernode_begin[s]; j < sizes_only.supernode_begin[s + 1]; ++j) {
      rows.insert(j);
      rows.insert(columns[j].begin(), columns[j].end());
    }
    whole.row.insert(whole.row.end(), rows.begin(), rows.end());
    whole.row_begin.push_back(static_cast<Count>(whole.row.size()));
  }
  add_blocks(whole);
  return whole;
}

/// Returns the map, reconstructed from the parts of all ranks.
RankMap map_of(const std::vector<RankPart>& parts, const PanelStructure& whole) {
  RankMap map{static_cast<Index>(parts.size()), {}, parts[0].structure.grid};
  std::vector<Index> domain(static_cast<std::size_t>(whole.n), RankMap::shared);
  for (const RankPart& part : parts) {
    for (Index j = 0; j < part.structure.own_columns(); ++j) {
      domain[part.structure.column[j]] = part.structure.rank;
    }
  }
  for (Index p = 0; p < whole.panels(); ++p) map.domain.push_back(domain[whole.panel_begin[p]]);
  return map;
}

TEST(RankPart, HasWhatIsCutOutOfTheWholeStructure) {
  for_each_division(
      [](const SparseMatrix& a, const SymbolicFactor& sizes_only, const auto& divided) {
        const Permutation permutation = permutation_of(divided.parts, sizes_only.n);
        const PanelStructure whole = whole_structure(a, sizes_only, permutation);
        const RankMap map = map_of(divided.parts, whole);
        for (const RankPart& part : divided.parts) {
          const LocalStructure& local = part.structure;
          ASSERT_NO_THROW(check(local));
          const LocalStructure expected = support::local_structure(whole, map, local.rank);
          ASSERT_EQ(local.ranks, expected.ranks);
          ASSERT_EQ(local.shared_begin, expected.shared_begin);
          ASSERT_THAT(local.supernode_begin, ContainerEq(expected.supernode_begin));
          ASSERT_THAT(local.row_begin, ContainerEq(expected.row_begin));
          ASSERT_THAT(local.row, ContainerEq(expected.row));
          ASSERT_THAT(local.panel_begin, ContainerEq(expected.panel_begin));
          ASSERT_THAT(local.panel_supernode, ContainerEq(expected.panel_supernode));
          ASSERT_THAT(local.block_begin, ContainerEq(expected.block_begin));
          ASSERT_THAT(local.value_begin, ContainerEq(expected.value_begin));
          ASSERT_THAT(local.column, ContainerEq(expected.column));
          ASSERT_THAT(local.boundary, ContainerEq(expected.boundary));
          ASSERT_THAT(local.boundary_row, ContainerEq(expected.boundary_row));
        }
      });
}

/// Returns the matrix with all entries between two pairs if there is one of them.
SparseMatrix with_equal_rows(const SparseMatrix& a, const std::vector<Index>& partner) {
  std::vector<support::Entry> entries;
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (const Index i : a.pattern.column(j)) {
      for (const Index row : {i, partner[i]}) {
        for (const Index column : {j, partner[j]}) {
          entries.push_back({std::max(row, column), std::min(row, column), 1});
        }
      }
    }
  }
  return support::from_entries(a.pattern.n, entries);
}

TEST(RankPart, HasTheSameRowsForTheColumnsOfAPair) {
  const SparseMatrix a = support::random_dominant(300, 2, 4);
  MatchedColumns matched;
  for (Index j = 0; j < a.pattern.n; ++j) {
    const Index other = j < 100 ? j + 200 : j >= 200 ? j - 200 : j;
    matched.partner.push_back(other);
    matched.predecessor.push_back(-1);
  }
  const std::vector<Index> partner = matched.partner;
  const CompressedGraph graph = graph_to_order(a.pattern, "amd", std::move(matched));
  const Permutation permutation = ordered(graph, "amd");
  const SymbolicFactor sizes_only =
      symbolic_sizes(graph, permutation, counted_order(graph, permutation),
                     {support::StructureOptions{}.amalgamation, 8});
  for (const Index ranks : {1, 2, 5}) {
    const Divided divided(a, sizes_only, ranks, Mapping::proportional, false);
    const PanelStructure whole = whole_structure(with_equal_rows(a, partner), sizes_only,
                                                 permutation_of(divided.parts, sizes_only.n));
    EXPECT_THAT(whole.row_begin, ContainerEq(sizes_only.row_begin));
    const RankMap map = map_of(divided.parts, whole);
    for (const RankPart& part : divided.parts) {
      const LocalStructure expected = support::local_structure(whole, map, part.structure.rank);
      EXPECT_THAT(part.structure.row_begin, ContainerEq(expected.row_begin));
      EXPECT_THAT(part.structure.row, ContainerEq(expected.row));
    }
  }
}

TEST(RankPart, OfOneRankIsTheWholeStructureInItsOrder) {
  for (const NamedMatrix& named : support::solver_problems()) {
    SCOPED_TRACE(named.name);
    const CompressedGraph graph = uncompressed(adjacency(named.matrix.pattern));
    const Permutation ordering = ordered(graph, "amd");
    const SymbolicOptions options{support::StructureOptions{}.amalgamation, 8};
    const SymbolicFactor whole = symbolic_factorization(graph, ordering, options);
    const SymbolicFactor sizes_only =
        symbolic_sizes(graph, ordering, counted_order(graph, ordering), options);
    EXPECT_THAT(sizes_only.row_begin, ContainerEq(whole.row_begin));
    EXPECT_EQ(sizes_only.factor_bytes(), whole.factor_bytes());
    const Divided divided(named.matrix, sizes_only, 1, Mapping::proportional, true);
    EXPECT_THAT(divided.parts[0].original, ContainerEq(whole.permutation.old_of));
    EXPECT_THAT(divided.parts[0].structure.row, ContainerEq(whole.row));
    EXPECT_EQ(divided.parts[0].entries.entry, map_entries(named.matrix.pattern, whole).entry);
  }
}

TEST(RankPart, PutsColumnsIntoAnOrderWithFewerBlocks) {
  for (const char* ordering : {"natural", "amd"}) {
    const SparseMatrix a = support::random_dominant(400, 2, 9);
    const SymbolicFactor sizes_only = sizes_only_of(a, ordering);
    const auto rows_in_runs = [&](bool refine) {
      Count runs = 0;
      for (const RankPart& part : Divided(a, sizes_only, 3, Mapping::proportional, refine).parts) {
        const auto& row = part.structure.row;
        for (std::size_t k = 1; k < row.size(); ++k) runs += row[k] != row[k - 1] + 1 ? 1 : 0;
      }
      return runs;
    };
    EXPECT_LT(rows_in_runs(true), rows_in_runs(false));
  }
}

/// Entries of A: its row and column, the larger one first, and the value.
using Entries = std::vector<std::pair<std::pair<Index, Index>, double>>;

/// Adds the entries of a part.
void add_entries(Entries& found, const RankPart& part, const std::vector<double>& values) {
  const LocalStructure& local = part.structure;
  for (Index p = 0; p < local.panels(); ++p) {
    for (Index j = local.panel_begin[p]; j < local.panel_begin[p + 1]; ++j) {
      for (Count k = part.entries.begin[j]; k < part.entries.begin[j + 1]; ++k) {
        const PanelEntry entry = part.entries.entry[k];
        const Index row = local.rows(p)[entry.local_row()];
        const auto [low, high] = std::minmax(part.original[row], part.original[j]);
        found.push_back({{high, low}, values[entry.source()]});
      }
    }
  }
}

TEST(RankPart, OfAllRanksHasAllEntriesOfA) {
  for_each_division([](const SparseMatrix& a, const auto&, const auto& divided) {
    Entries expected;
    for (Index j = 0; j < a.pattern.n; ++j) {
      for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
        expected.push_back({{a.pattern.row[k], j}, a.value[k]});
      }
    }
    Entries found;
    std::size_t own = 0;
    std::size_t shared = 0;
    for (const RankPart& part : divided.parts) {
      const std::vector<double> values =
          support::values_of_part(divided.division, part.structure.rank, a);
      ASSERT_EQ(values.size(), part.entries.entry.size());
      add_entries(found, part, values);
      const Count first_shared = part.entries.begin[part.structure.own_columns()];
      own += static_cast<std::size_t>(first_shared);
      shared = values.size() - static_cast<std::size_t>(first_shared);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());  // several ranks share some
    EXPECT_EQ(found, expected);
    EXPECT_EQ(own + shared, a.value.size());
  });
}

/// The division is almost as even as a map of the whole structure.
TEST(RankDivision, BalancesRanksFromSizesAlone) {
  const SparseMatrix a = support::random_dominant(500, 1, 3);
  const SymbolicFactor sizes_only = sizes_only_of(a, "amd");
  for (const Index ranks : {2, 3, 4}) {
    const Divided divided(a, sizes_only, ranks, Mapping::proportional, true);
    const PanelStructure whole =
        whole_structure(a, sizes_only, permutation_of(divided.parts, sizes_only.n));
    const std::vector<double> seconds = panel_seconds(whole, divided.cost);
    const Load found = imbalance(support::rank_loads(whole, seconds, map_of(divided.parts, whole)));
    const Load best = imbalance(
        support::rank_loads(whole, seconds, support::map_to_ranks(whole, seconds, ranks)));
    EXPECT_LT(found.seconds, 1.15 * best.seconds) << ranks;
    EXPECT_DOUBLE_EQ(divided.division.imbalance().entries, found.entries);
    EXPECT_NEAR(divided.division.imbalance().seconds, found.seconds, 0.15);
  }
}

}  // namespace
}  // namespace espalier::internal
