// SPDX-License-Identifier: BSD-3-Clause
#include "graph/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "graph/batched_graphs.hpp"
#include "graph/exchange.hpp"
#include "graph/rank_graphs.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::for_each_batched_graphs;
using support::RankGraphs;
using support::worker_grids;

/// Rank and cell that own a tile, from the definition of both maps.
std::pair<Index, Index> owner_of_tile(const LocalStructure& local, const Tile& tile) {
  const Index row = local.rows(tile.panel)[tile.row_begin];
  const auto after = std::upper_bound(local.panel_begin.begin(), local.panel_begin.end(), row);
  const auto row_panel = static_cast<Index>(after - local.panel_begin.begin()) - 1;
  const Index rank = local.owner(tile.panel, row_panel);
  const RankGrid& ranks = local.grid[tile.panel - local.shared_begin];
  const Index own_row = ranks.own_row(row_panel - local.shared_begin);
  const Index own_column = ranks.own_column(tile.panel - local.shared_begin);
  return {rank, owner_of_block(worker_grids(local.ranks)[rank], own_row, own_column)};
}

TEST(Batches, HaveEachTileInOneStripOfItsPanelAndOwner) {
  for_each_batched_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const TaskGraph& graph = all.graph[r];
      std::vector<Index> tiles = graph.batches.tile;
      std::set<std::tuple<Index, Index, Index>> owners;
      for (Index s = 0; s < graph.batches.strips(); ++s) {
        ASSERT_FALSE(graph.batches.tiles(s).empty());
        const Tile& first = graph.tiling.tile[graph.batches.tiles(s).front()];
        const auto owner = owner_of_tile(all.local[r], first);
        EXPECT_TRUE(owners.emplace(first.panel, owner.first, owner.second).second);
        EXPECT_TRUE(std::ranges::is_sorted(graph.batches.tiles(s)));
        for (const Index t : graph.batches.tiles(s)) {
          EXPECT_EQ(graph.batches.strip_of[t], s);
          EXPECT_EQ(graph.tiling.tile[t].panel, first.panel);
          EXPECT_EQ(owner_of_tile(all.local[r], graph.tiling.tile[t]), owner);
        }
      }
      std::ranges::sort(tiles);
      ASSERT_EQ(tiles.size(), graph.tiling.tile.size());
      for (std::size_t t = 0; t < tiles.size(); ++t) EXPECT_EQ(tiles[t], static_cast<Index>(t));
    }
  });
}

/// Source panel of tasks, and the owner of their targets.
using BatchKey = std::pair<Index, std::pair<Index, Index>>;

BatchKey key_of(const TaskGraph& graph, const LocalStructure& local, const Task& task) {
  return {graph.source_of(task), owner_of_tile(local, graph.tiling.tile[task.target])};
}

TEST(Batches, HaveEachTaskInTheOnlyBatchOfItsSourceAndOwner) {
  for_each_batched_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const TaskGraph& graph = all.graph[r];
      std::vector<Index> tasks = graph.batches.task;
      std::map<std::pair<BatchKey, bool>, Index> batch_of;  // by key, and whether a U is meant
      for (Index b = 0; b < graph.batches.size(); ++b) {
        ASSERT_FALSE(graph.batches.tasks(b).empty());
        const Task& first = graph.task[graph.batches.tasks(b).front()];
        const BatchKey key = key_of(graph, all.local[r], first);
        for (const Index t : graph.batches.tasks(b)) {
          EXPECT_EQ(key_of(graph, all.local[r], graph.task[t]), key);
          const bool updates = graph.task[t].kind == TaskKind::update;
          EXPECT_EQ(batch_of.try_emplace({key, updates}, b).first->second, b);
        }
      }
      std::ranges::sort(tasks);
      ASSERT_EQ(std::ssize(tasks), graph.size());
      for (std::size_t t = 0; t < tasks.size(); ++t) EXPECT_EQ(tasks[t], static_cast<Index>(t));
    }
  });
}

/// Returns whether the tasks of an owner make everything that its updates by this panel read.
bool reads_own_strip_only(const TaskGraph& graph, const LocalStructure& local,
                          const BatchKey& key) {
  return std::ranges::all_of(graph.task, [&](const Task& task) {
    if (task.kind != TaskKind::update || key_of(graph, local, task) != key) return true;
    return owner_of_tile(local, graph.tiling.tile[task.left]) == key.second &&
           owner_of_tile(local, graph.tiling.tile[task.right]) == key.second;
  });
}

/// Returns whether updates are in the batch of their source. Checks that these are all updates of
/// owners that make everything that they read, or none of them.
bool joins_updates(const RankGraphs& all, bool expected) {
  bool any = false;
  for (std::size_t r = 0; r < all.graph.size(); ++r) {
    const TaskGraph& graph = all.graph[r];
    for (Index b = 0; b < graph.batches.size(); ++b) {
      const Task& first = graph.task[graph.batches.tasks(b).front()];
      const Task& last = graph.task[graph.batches.tasks(b).back()];
      if (last.kind != TaskKind::update) continue;
      const bool joined = first.kind != TaskKind::update;
      const BatchKey key = key_of(graph, all.local[r], first);
      EXPECT_EQ(joined, expected && reads_own_strip_only(graph, all.local[r], key));
      any = any || joined;
    }
  }
  return any;
}

TEST(Batches, JoinUpdatesToTheirSourceIfTheOwnerMadeItAndTheyAreShorterThanTheOverhead) {
  bool any = false;
  for (const auto& sample : support::sample_structures()) {
    SCOPED_TRACE(sample.name);
    const auto graphs = [&](double overhead) {
      return support::batched_graphs(sample.symbolic, 2, overhead);
    };
    EXPECT_FALSE(joins_updates(graphs(support::no_overhead), false));
    any = joins_updates(graphs(support::long_overhead), true) || any;
  }
  EXPECT_TRUE(any);
}

/// The updates by one panel join its batch if the overhead exceeds the sum of their times.
TEST(Batches, CompareTheOverheadWithTheSumOfTheUpdates) {
  const PanelStructure& structure = support::sample_structures().back().symbolic;
  TaskGraph graph = support::graph_of(structure, 0, Granularity::block);
  std::vector<double> seconds(static_cast<std::size_t>(structure.panels()), 0.0);
  for (const Task& task : graph.task) {
    if (task.kind == TaskKind::update) seconds[graph.source_of(task)] += task.seconds;
  }
  const double longest = *std::ranges::max_element(seconds);
  const BlockGrid one[] = {{1, 1}};
  const auto batches = [&](double overhead) {
    batch_tasks(graph, {structure, sole_ownership(structure)}, one, overhead);
    return graph.batches.size();
  };
  const auto longer = std::ranges::count(seconds, longest);
  EXPECT_EQ(batches(longest * (1 + 1e-9)), structure.panels());
  EXPECT_EQ(batches(longest * (1 - 1e-9)), structure.panels() + longer);
}

TEST(Batches, AreInAnOrderThatTheGraphAllows) {
  for_each_batched_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (const TaskGraph& graph : all.graph) {
      std::vector<Index> position(graph.task.size());
      for (Index k = 0; k < graph.size(); ++k) position[graph.batches.task[k]] = k;
      for (Index t = 0; t < graph.size(); ++t) {
        for (const Index next : graph.successors(t)) EXPECT_LT(position[t], position[next]);
      }
    }
  });
}

/// First tile of a strip among the shared tiles, sender, receiver.
using Sent = std::set<std::tuple<Index, Index, Index>>;

/// The strips that contain the tiles which the ranks send, from the messages of the graphs.
Sent strips_due(const RankGraphs& all) {
  Sent due;
  for (Index r = 0; r < std::ssize(all.graph); ++r) {
    const TaskGraph& graph = all.graph[r];
    for (const Message& m : graph.message) {
      if (m.kind != Message::Kind::send) continue;
      due.emplace(graph.batches.tiles(graph.batches.strip_of[m.data]).front(), r, m.rank);
    }
  }
  return due;
}

TEST(Batches, SendEachStripOnceToEachRankThatReadsATileOfIt) {
  for_each_batched_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (const auto kind : {Message::Kind::send, Message::Kind::receive}) {
      Sent sent;
      std::set<std::tuple<Index, Index, Index>> tags;
      for (Index r = 0; r < std::ssize(all.graph); ++r) {
        for (const Message& m : all.graph[r].batches.message) {
          if (m.kind != kind) continue;
          const Index first = all.graph[r].batches.tiles(m.data).front();
          const Index from = kind == Message::Kind::send ? r : m.rank;
          const Index to = kind == Message::Kind::send ? m.rank : r;
          EXPECT_TRUE(sent.emplace(first, from, to).second);
          EXPECT_TRUE(tags.emplace(m.tag, from, to).second);
        }
      }
      EXPECT_EQ(sent, strips_due(all));
    }
  });
}

/// Returns the first and the last batch that use a strip, in this order; only as a source if
/// `reads`.
std::pair<Index, Index> uses_of(const TaskGraph& graph, Index strip, bool reads) {
  std::pair<Index, Index> uses{graph.batches.size(), -1};
  for (Index b = 0; b < graph.batches.size(); ++b) {
    for (const Index t : graph.batches.tasks(b)) {
      const Task& task = graph.task[t];
      const bool uses_it = std::ranges::any_of(
          reads ? std::vector<Index>{task.left, task.right} : std::vector<Index>{task.target},
          [&](Index tile) { return tile >= 0 && graph.batches.strip_of[tile] == strip; });
      if (uses_it) uses = {std::min(uses.first, b), b};
    }
  }
  return uses;
}

TEST(Batches, MoveStripsAfterTheyAreMadeAndBeforeTheyAreRead) {
  for_each_batched_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (const TaskGraph& graph : all.graph) {
      Index before = 0;
      for (const Message& m : graph.batches.message) {
        EXPECT_GE(m.before, before);
        before = m.before;
        const bool is_own = m.kind == Message::Kind::send;
        const auto [first, last] = uses_of(graph, m.data, !is_own);
        EXPECT_TRUE(!is_own || m.before == last + 1);
        EXPECT_TRUE(m.kind != Message::Kind::receive || m.before <= first);
        EXPECT_TRUE(m.kind != Message::Kind::release || m.before > last);
      }
    }
  });
}

/// All ranks reach their ends even if each waits for every message.
TEST(Batches, NeverWaitForWhatIsSentLater) {
  for_each_batched_graphs([](const PanelStructure&, const RankGraphs& all) {
    std::set<std::tuple<Index, Index, Index>> sent;
    std::vector<std::size_t> at(all.graph.size(), 0);
    for (bool moved = true; std::exchange(moved, false);) {
      for (std::size_t r = 0; r < all.graph.size(); ++r) {
        const auto& message = all.graph[r].batches.message;
        const auto own = static_cast<Index>(r);
        for (; at[r] < message.size(); ++at[r], moved = true) {
          const Message& m = message[at[r]];
          if (m.kind == Message::Kind::send) sent.emplace(own, m.rank, m.tag);
          if (m.kind == Message::Kind::receive && !sent.contains({m.rank, own, m.tag})) break;
        }
      }
    }
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      EXPECT_EQ(at[r], all.graph[r].batches.message.size()) << "rank " << r << " waits for ever";
    }
  });
}

/// The bytes of a group are those of all received strips of a panel.
TEST(Batches, GroupTheReceivedStripsOfEachPanel) {
  for_each_batched_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const TaskGraph& graph = all.graph[r];
      std::map<Index, Count> expected;
      std::map<Index, Count> found;
      for (const Message& m : graph.batches.message) {
        if (m.kind != Message::Kind::receive) continue;
        const Index panel = graph.tiling.tile[graph.batches.tiles(m.data).front()].panel;
        EXPECT_EQ(m.group_bytes > 0, !expected.contains(panel));
        for (const Index t : graph.batches.tiles(m.data)) {
          expected[panel] += 8 * entries_of(all.local[r], graph.tiling.tile[t]);
        }
        found[panel] += m.group_bytes;
      }
      EXPECT_EQ(found, expected);
    }
  });
}

TEST(Batches, OfOneWorkerAreAtMostTwoPerPanel) {
  for (const auto& sample : support::sample_structures()) {
    SCOPED_TRACE(sample.name);
    const PanelStructure& structure = sample.symbolic;
    TaskGraph graph = support::graph_of(structure, 0, Granularity::block);
    const BlockGrid one[] = {{1, 1}};
    batch_tasks(graph, {structure, sole_ownership(structure)}, one, support::no_overhead);
    Index expected = 0;
    for (Index p = 0; p < structure.panels(); ++p) {
      expected += structure.height(p) > structure.width(p) ? 2 : 1;
    }
    EXPECT_EQ(graph.batches.size(), expected);
    EXPECT_EQ(graph.batches.strips(), structure.panels());
    EXPECT_EQ(graph.submitted(), expected);
    EXPECT_EQ(graph.pieces(), structure.panels());
    EXPECT_TRUE(graph.transfers().empty());
  }
}

TEST(Batches, RefuseGraphsWithSubtrees) {
  const PanelStructure& structure = support::sample_structures().front().symbolic;
  TaskGraph graph = support::graph_of(structure, 2, Granularity::block);
  const BlockGrid one[] = {{1, 1}};
  EXPECT_THROW(batch_tasks(graph, {structure, sole_ownership(structure)}, one, 0),
               std::logic_error);
}

TEST(Batches, RefuseStripsLongerThanAMessageOfMpi) {
  TaskGraph graph;
  PanelStructure structure;
  structure.panel_begin = {0, 1 << 10};
  structure.panel_supernode = {0};
  graph.tiling.tile = {{0, 0, 1 << 17}, {0, 1 << 17, 1 << 18}};
  graph.message = {{.kind = Message::Kind::send, .data = 0, .rank = 1}};
  EXPECT_NO_THROW(expect_messages_of_mpi(graph, structure));
  graph.batches.tile = {0, 1};
  graph.batches.strip_begin = {0, 2};
  graph.batches.batch_begin = {0, 0};
  graph.batches.message = graph.message;
  support::expect_error<UsageError>([&] { expect_messages_of_mpi(graph, structure); },
                                    {"2.0 GiB", "MPI"});
}

}  // namespace
}  // namespace espalier::internal
