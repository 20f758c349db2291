// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/partition_refinement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "symbolic/column_counts.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

OrderedPartition partition_of(Index first, Index size) {
  OrderedPartition partition;
  partition.reset(first, size);
  return partition;
}

/// Returns the vertices in their order.
List order_of(const OrderedPartition& partition, Index first, Index size) {
  List order(size, -1);
  for (Index v = first; v < first + size; ++v) order[partition.position(v)] = v;
  return order;
}

TEST(OrderedPartition, StartsAsOneClassInOrder) {
  const OrderedPartition partition = partition_of(10, 4);
  EXPECT_EQ(order_of(partition, 10, 4), (List{10, 11, 12, 13}));
  EXPECT_FALSE(partition.is_finest());
  EXPECT_TRUE(partition_of(10, 1).is_finest());
}

TEST(OrderedPartition, MovesMembersToTheRightOfTheirClass) {
  OrderedPartition partition = partition_of(0, 5);
  partition.refine(List{0, 2});
  const List order = order_of(partition, 0, 5);
  EXPECT_EQ(List(order.begin() + 3, order.end()), (List{0, 2}));
}

TEST(OrderedPartition, MovesMembersToASetThatIsMetAsAWhole) {
  OrderedPartition partition = partition_of(0, 6);
  partition.refine(List{0, 1});        // {2 3 4 5} {0 1}
  partition.refine(List{0, 1, 3, 5});  // {2 4} {3 5} {0 1}
  List order = order_of(partition, 0, 6);
  EXPECT_EQ(List(order.begin() + 4, order.end()), (List{0, 1}));
  EXPECT_TRUE((order[2] == 3 && order[3] == 5) || (order[2] == 5 && order[3] == 3));
  partition.refine(List{2, 3, 5});  // {4} {2} {3 5} {0 1}
  order = order_of(partition, 0, 6);
  EXPECT_EQ(order[0], 4);
  EXPECT_EQ(order[1], 2);
}

TEST(OrderedPartition, IgnoresSetsThatSplitNothing) {
  OrderedPartition partition = partition_of(0, 4);
  partition.refine(List{1, 2});
  const List order = order_of(partition, 0, 4);
  partition.refine(List{1, 2});
  partition.refine(List{0, 1, 2, 3});
  partition.refine(List{});
  EXPECT_EQ(order_of(partition, 0, 4), order);
}

TEST(OrderedPartition, EndsWithSingleVertices) {
  OrderedPartition partition = partition_of(3, 4);
  for (Index v = 3; v < 7; ++v) partition.refine(List{v});
  EXPECT_TRUE(partition.is_finest());
  partition.reset(0, 2);
  EXPECT_FALSE(partition.is_finest());
  EXPECT_EQ(order_of(partition, 0, 2), (List{0, 1}));
}

}  // namespace
namespace {

using List = std::vector<Index>;

/// A supernode, and one descendant per set. Each descendant has one vertex and faces the vertices
/// of its set.
struct Problem {
  List begin;
  RowStructure rows;
};

Problem problem(const std::vector<List>& sets, Index size) {
  const auto descendants = static_cast<Index>(sets.size());
  Problem result{{0}, {}};
  RowStructure& rows = result.rows;
  for (Index d = 0; d < descendants; ++d) {
    result.begin.push_back(d + 1);
    rows.row.push_back(d);
    rows.facing_begin.push_back(0);
    rows.below.push_back(static_cast<Index>(sets[d].size()));
    if (!sets[d].empty()) {
      rows.facing.push_back({static_cast<Count>(rows.row.size()), rows.below.back(), d});
    }
    for (const Index vertex : sets[d]) rows.row.push_back(descendants + vertex);
    rows.begin.push_back(static_cast<Count>(rows.row.size()));
  }
  result.begin.push_back(descendants + size);
  rows.below.push_back(0);
  rows.facing_begin.push_back(static_cast<Count>(rows.facing.size()));
  for (Index v = 0; v < size; ++v) rows.row.push_back(descendants + v);
  rows.begin.push_back(static_cast<Count>(rows.row.size()));
  return result;
}

Count runs_after_refinement(const std::vector<List>& sets, Index size) {
  Problem p = problem(sets, size);
  const Permutation renumbering = refine_partition(p.begin, p.rows);
  EXPECT_NO_THROW(check(renumbering));
  return count_runs(p.rows);
}

TEST(CountRuns, CountsGapsBelowTheDiagonalBlocks) {
  const Problem p = problem({{0, 1, 3}, {}, {0, 2, 4}, {2}}, 5);
  EXPECT_EQ(count_runs(p.rows), 2 + 0 + 3 + 1);
}

TEST(CountRuns, EndsARunWithTheSupernodeThatItFaces) {
  RowStructure rows;
  rows.row = {0, 1, 2, 1, 2, 2};
  rows.facing = {{1, 1, 0}, {2, 1, 0}, {4, 1, 1}};
  EXPECT_EQ(count_runs(rows), 2 + 1);
}

TEST(RefinePartition, MakesOneSetContiguous) {
  EXPECT_EQ(runs_after_refinement({{0, 2, 4}}, 5), 1);
}

TEST(RefinePartition, MakesDisjointSetsContiguous) {
  EXPECT_EQ(runs_after_refinement({{0, 3, 6}, {1, 4, 7}, {2, 5, 8}}, 9), 3);
}

TEST(RefinePartition, MakesNestedSetsContiguous) {
  EXPECT_EQ(runs_after_refinement({{3, 7}, {1, 3, 5, 7}, {1, 3, 4, 5, 7, 9}}, 10), 3);
}

TEST(RefinePartition, PutsTheOverlapOfTwoSetsBetweenThem) {
  EXPECT_EQ(runs_after_refinement({{0, 2, 4, 6}, {4, 5, 6, 7}}, 8), 2);
}

TEST(RefinePartition, JoinsAChainOfOverlaps) {
  EXPECT_EQ(runs_after_refinement({{0, 2, 4, 6, 8}, {6, 8, 1, 3}, {1, 3, 5}}, 9), 3);
}

TEST(RefinePartition, KeepsAnOrderThatIsAsGood) {
  Problem p = problem({{0, 1, 2}, {2, 3, 4}, {4, 5}}, 6);
  EXPECT_EQ(refine_partition(p.begin, p.rows).new_of, Permutation::identity(9).new_of);
}

TEST(RefinePartition, LeavesASupernodeWithoutPartialSetsAlone) {
  Problem p = problem({{0, 1, 2, 3}, {2}, {}}, 4);
  const RowStructure before = p.rows;
  EXPECT_EQ(refine_partition(p.begin, p.rows).new_of, Permutation::identity(7).new_of);
  EXPECT_EQ(p.rows.row, before.row);
}

TEST(RefinePartition, RenumbersRowsWithTheColumns) {
  Problem p = problem({{0, 2}}, 3);
  const Permutation renumbering = refine_partition(p.begin, p.rows);
  EXPECT_EQ(renumbering.old_of, (List{0, 2, 1, 3}));
  EXPECT_EQ(p.rows.row, (List{0, 2, 3, 1, 2, 3}));
}

/// Returns rows of a range after a renumbering, ascending.
List renumbered(std::span<const Index> rows, const Permutation& renumbering) {
  List result;
  for (const Index row : rows) result.push_back(renumbering.new_of[row]);
  std::sort(result.begin(), result.end());
  return result;
}

TEST(RefinePartition, KeepsTheEntriesAndAddsNoRuns) {
  for (const auto& [setting, options] : amalgamation_samples()) {
    for (const Sample& sample : sample_graphs()) {
      SCOPED_TRACE(sample.name + ", " + setting);
      const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
      const Amalgamation amalgamation = amalgamate(
          fundamental_supernodes(order.parent, column_counts(order), order.weight), options);
      const Supernodes& supernodes = amalgamation.supernodes;
      const RowStructure before = row_structure(order, amalgamation);
      RowStructure after = before;
      const Permutation renumbering = refine_partition(supernodes.begin, after);

      ASSERT_NO_THROW(check(renumbering));
      const List supernode = supernode_of_column(supernodes.begin);
      for (Index v = 0; v < order.size(); ++v) {
        EXPECT_EQ(supernode[renumbering.new_of[v]], supernode[v]);
      }
      for (const FacingRange& range : before.facing) {
        const auto rows = after.rows(range);
        EXPECT_EQ(List(rows.begin(), rows.end()), renumbered(before.rows(range), renumbering));
      }
      EXPECT_LE(count_runs(after), count_runs(before));
    }
  }
}

TEST(RefinePartition, DoesNotDependOnTheNumberOfThreads) {
  const EliminationOrder order =
      elimination_order(uncompressed(grid_graph(60)), grid_dissection(60));
  const Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight), {});
  const RowStructure unrefined = row_structure(order, amalgamation);
  RowStructure expected = unrefined;
  const Permutation renumbering = refine_partition(amalgamation.supernodes.begin, expected);
  for (const Index workers : {2, 3}) {
    RowStructure rows = unrefined;
    EXPECT_EQ(refine_partition(amalgamation.supernodes.begin, rows, workers).new_of,
              renumbering.new_of);
    EXPECT_EQ(rows.row, expected.row);
  }
}

/// Shuffles the vertices of each supernode.
Permutation shuffle(const Supernodes& supernodes) {
  std::vector<std::pair<Index, Index>> key;  // supernode, random number
  const List supernode = supernode_of_column(supernodes.begin);
  const Permutation random = random_permutation(supernodes.begin.back(), 3);
  for (std::size_t c = 0; c < supernode.size(); ++c)
    key.emplace_back(supernode[c], random.new_of[c]);
  std::sort(key.begin(), key.end());
  List old_of;
  for (const auto& [s, number] : key) old_of.push_back(random.old_of[number]);
  return Permutation::from_old_of(old_of);
}

TEST(RefinePartition, FindsAnOrderAsGoodAsTheGeometryOfADissectedGrid) {
  const EliminationOrder order =
      elimination_order(uncompressed(grid_graph(63)), grid_dissection(63));
  Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight), {});
  const Count geometric = count_runs(row_structure(order, amalgamation));

  amalgamation.renumbering = compose(amalgamation.renumbering, shuffle(amalgamation.supernodes));
  RowStructure rows = row_structure(order, amalgamation);
  const Count shuffled = count_runs(rows);
  refine_partition(amalgamation.supernodes.begin, rows);
  const Count refined = count_runs(rows);

  EXPECT_GT(shuffled, 2 * geometric);
  EXPECT_LE(refined, geometric);
}

}  // namespace
}  // namespace espalier::internal
