// SPDX-License-Identifier: BSD-3-Clause
#include "graph/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/dense.hpp"
#include "graph/predicted_traffic.hpp"
#include "graph/rank_graphs.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::for_each_rank_graphs;
using support::RankGraphs;

/// Sender, receiver, tag.
using Sent = std::set<std::tuple<Index, Index, Index>>;

Sent messages_of(const RankGraphs& all, Message::Kind kind) {
  Sent found;
  for (std::size_t r = 0; r < all.graph.size(); ++r) {
    for (const Message& m : all.graph[r].message) {
      if (m.kind != kind) continue;
      const auto own = static_cast<Index>(r);
      EXPECT_NE(m.rank, own);
      const bool sends = kind == Message::Kind::send;
      const bool is_new = sends ? found.emplace(own, m.rank, m.tag).second
                                : found.emplace(m.rank, own, m.tag).second;
      EXPECT_TRUE(is_new) << "tag " << m.tag << " twice between two ranks";
    }
  }
  return found;
}

TEST(Exchange, HasOneReceiveForEachSend) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    EXPECT_EQ(messages_of(all, Message::Kind::send), messages_of(all, Message::Kind::receive));
  });
}

TEST(Exchange, RefusesDataLongerThanAMessageOfMpi) {
  TaskGraph graph;
  PanelStructure structure;
  structure.panel_begin = {0, 1 << 10};
  structure.panel_supernode = {0};
  graph.tiling.tile = {{0, 0, 1 << 18}, {0, 0, (1 << 18) - 1}};
  graph.message = {{.kind = Message::Kind::send, .data = 1, .rank = 1},
                   {.kind = Message::Kind::release, .data = 0}};
  EXPECT_NO_THROW(expect_messages_of_mpi(graph, structure));
  graph.message.push_back({.kind = Message::Kind::receive, .data = 0, .rank = 1});
  support::expect_error<UsageError>([&] { expect_messages_of_mpi(graph, structure); },
                                    {"2.0 GiB", "MPI", "narrower panels"});
}

TEST(Exchange, CarriesWhatTheMapPredicts) {
  for_each_rank_graphs([](const PanelStructure& whole, const RankGraphs& all) {
    const support::PredictedTraffic predicted(whole, all.map, all.local.front(),
                                              all.graph.front().tiling);
    const std::vector<Traffic> expected = predicted.of_factorization();
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      EXPECT_EQ(traffic_of(all.graph[r], all.local[r]), expected[r]) << "rank " << r;
    }
  });
}

/// All ranks reach their ends even if each waits for every message, because there is an order in
/// which every message is sent before it is received.
TEST(Exchange, NeverWaitsForWhatIsSentLater) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    std::set<std::tuple<Index, Index, Index>> sent;
    std::vector<std::size_t> at(all.graph.size(), 0);
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t r = 0; r < all.graph.size(); ++r) {
        const auto& message = all.graph[r].message;
        const auto own = static_cast<Index>(r);
        for (; at[r] < message.size(); ++at[r]) {
          const Message& m = message[at[r]];
          if (m.kind == Message::Kind::send) sent.emplace(own, m.rank, m.tag);
          if (m.kind == Message::Kind::receive && !sent.contains({m.rank, own, m.tag})) break;
          moved = true;
        }
      }
    }
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      EXPECT_EQ(at[r], all.graph[r].message.size()) << "rank " << r << " waits for ever";
    }
  });
}

/// Returns whether a rank runs a task that reads the source panel and writes the tile.
bool participates(const LocalStructure& local, Index source, const Tile& target) {
  if (source < local.shared_begin) return true;
  if (!local.computes_elsewhere()) return owner_of(local, target) == local.rank;
  return local.updater(source, target.panel, row_panel_of(local, target)) == local.rank;
}

Count bytes_of(const TaskGraph& graph, const PanelStructure& structure, Index data) {
  const auto tiles = static_cast<Index>(graph.tiling.tile.size());
  Count rows = 0;
  Index tile = data;
  if (data < tiles) {
    rows = graph.tiling.tile[data].row_end - graph.tiling.tile[data].row_begin;
  } else {
    const Contribution& c = graph.contribution[data - graph.contribution_data(0)];
    rows = c.row_end - c.row_begin;
    tile = c.tile;
  }
  return 8 * rows * structure.width(graph.tiling.tile[tile].panel);
}

/// Checks groups of data in the order of messages: received data, or own contributions. `begin` and
/// `end` are the kinds of messages that begin and end a piece of data.
void expect_groups(const TaskGraph& graph, const PanelStructure& structure, Message::Kind begin,
                   Message::Kind end) {
  std::set<Index> here;
  Count group_bytes = 0;
  for (const Message& m : graph.message) {
    if (m.kind == begin) {
      if (m.group_bytes > 0) {
        EXPECT_TRUE(here.empty());
      }
      group_bytes += m.group_bytes;
      here.insert(m.data);
    } else if (m.kind == end) {
      EXPECT_EQ(here.erase(m.data), 1U);
      group_bytes -= bytes_of(graph, structure, m.data);
      EXPECT_EQ(group_bytes > 0, !here.empty());
    }
  }
  EXPECT_EQ(group_bytes, 0);
}

/// A rank releases a group before it receives the next one, so memory for one group is enough.
TEST(Exchange, ReleasesAGroupBeforeTheNextOneBegins) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      expect_groups(all.graph[r], all.local[r], Message::Kind::receive, Message::Kind::release);
    }
  });
}

/// A rank makes contributions in the order in which other ranks receive them. Each is a group, but
/// in a fan-both map all of them are one, because their writers read received tiles.
TEST(Exchange, MakesContributionsInTheOrderOfTiles) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const TaskGraph& graph = all.graph[r];
      const Index first = graph.contribution_data(0);
      std::vector<std::pair<Index, Index>> received;
      std::vector<Index> made;
      Count bytes = 0;
      Count groups = 0;
      for (const Message& m : graph.message) {
        const bool begins = m.kind == Message::Kind::begin;
        if (m.data < first || (!begins && m.kind != Message::Kind::receive)) continue;
        const Contribution& c = graph.contribution[m.data - first];
        EXPECT_EQ(c.rank == all.local[r].rank, begins);
        if (begins) {
          EXPECT_EQ(m.before, 0);
          bytes += bytes_of(graph, all.local[r], m.data) - m.group_bytes;
          groups += m.group_bytes > 0 ? 1 : 0;
          EXPECT_LE(bytes, 0) << "a contribution begins before its group";
          made.push_back(c.tile);
        } else {
          received.emplace_back(c.tile, c.rank);
        }
      }
      EXPECT_EQ(bytes, 0);
      const bool together = all.local[r].computes_elsewhere() && !made.empty();
      EXPECT_EQ(groups, together ? 1 : std::ssize(made));
      EXPECT_TRUE(std::is_sorted(made.begin(), made.end()));
      EXPECT_TRUE(std::is_sorted(received.begin(), received.end()));
    }
  });
}

/// The rows of contributions are those of the updates that the rank computes. Here they are
/// computed from the panels instead of the boundaries.
TEST(Exchange, ContributesTheRowsThatTheRankUpdates) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const LocalStructure& local = all.local[r];
      const TaskGraph& graph = all.graph[r];
      std::map<Index, std::set<Index>> due;
      for (Index j = 0; j < local.panels(); ++j) {
        for (const Block& block : local.blocks(j).subspan(1)) {
          if (block.facing < local.shared_begin) continue;
          for (Count t = graph.tiling.tile_begin[block.facing];
               t < graph.tiling.tile_begin[block.facing + 1]; ++t) {
            const Tile& tile = graph.tiling.tile[t];
            if (owner_of(local, tile) == local.rank || !participates(local, j, tile)) continue;
            const auto own = local.rows(tile.panel);
            for (const Index row : local.rows(j).subspan(block.row_offset)) {
              if (own[tile.row_begin] <= row && row <= own[tile.row_end - 1]) due[t].insert(row);
            }
          }
        }
      }
      std::map<Index, std::set<Index>> found;
      for (const Contribution& c : graph.contribution) {
        if (c.rank != local.rank) continue;
        const auto rows = graph.rows_of(c);
        found[c.tile] = {rows.begin(), rows.end()};
      }
      EXPECT_EQ(found, due) << "rank " << r;
    }
  });
}

/// Fill tasks fill the tiles that a rank writes, and no contributions.
TEST(Exchange, FillsOwnTilesAlone) {
  for (const auto& sample : support::sample_structures()) {
    const RankGraphs all = support::rank_graphs(sample.symbolic, 3, Mapping::block_cyclic, 0.1,
                                                Granularity::tile, Fill::by_tasks);
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const TaskGraph& graph = all.graph[r];
      std::map<Index, Index> fill;
      for (Index t = 0; t < graph.size(); ++t) {
        const Task& task = graph.task[t];
        const bool elsewhere = task.contribution >= 0 && task.kind != TaskKind::reduce;
        if (task.target < 0 || elsewhere) continue;
        const auto [first, is_first] = fill.try_emplace(task.target, t);
        EXPECT_EQ(is_first, task.kind == TaskKind::fill) << sample.name;
        EXPECT_EQ(owner_of(all.local[r], graph.tiling.tile[task.target]), all.local[r].rank);
        if (is_first || task.kind == TaskKind::factor) continue;
        const auto next = graph.successors(first->second);
        EXPECT_NE(std::find(next.begin(), next.end(), t), next.end()) << sample.name;
      }
    }
  }
}

/// All ranks together run each task of the whole graph once, and one reduction per contribution.
TEST(Exchange, DividesAllOperations) {
  for_each_rank_graphs([](const PanelStructure& whole, const RankGraphs& all) {
    double sum = 0;
    Count reductions = 0;
    Count contributions = 0;
    for (const TaskGraph& graph : all.graph) {
      for (const Task& task : graph.task) {
        if (task.kind == TaskKind::reduce) {
          ++reductions;
        } else {
          sum += task.flops;
        }
      }
      contributions += std::ssize(graph.contribution);
    }
    EXPECT_EQ(2 * reductions, contributions);
    double expected = 0;
    for (Index p = 0; p < whole.panels(); ++p) {
      const double width = whole.width(p);
      const double below = whole.height(p) - width;
      expected += flops::potrf(width) + flops::trsm(below, width) + flops::syrk(below, width);
    }
    EXPECT_NEAR(sum, expected, 1e-12 * expected);
  });
}

TEST(Participates, WhereTheSourceIsInTheDomainElseWhereTheMapSays) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const LocalStructure& local = all.local[r];
      const TaskGraph& graph = all.graph[r];
      for (const Task& task : graph.task) {
        if (task.target < 0 || task.kind == TaskKind::reduce) continue;
        const auto& tiles = graph.tiling.tile;
        const Index source = task.group >= 0  ? graph.cut.groups[task.group].panel_begin
                             : task.left >= 0 ? tiles[task.left].panel
                                              : tiles[task.target].panel;
        EXPECT_TRUE(participates(local, source, tiles[task.target]));
        EXPECT_EQ(task.contribution >= 0, owner_of(local, tiles[task.target]) != local.rank);
      }
      for (Count t = 0; t < std::ssize(graph.tiling.tile); ++t) {
        const Tile& tile = graph.tiling.tile[t];
        EXPECT_EQ(participates(local, tile.panel, tile), owner_of(local, tile) == local.rank);
      }
    }
  });
}

}  // namespace
}  // namespace espalier::internal
