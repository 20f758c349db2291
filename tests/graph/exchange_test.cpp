// SPDX-License-Identifier: BSD-3-Clause
#include "graph/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/flops.hpp"
#include "graph/rank_graphs.hpp"

namespace espalier {
namespace {

using support::for_each_rank_graphs;
using support::RankGraphs;

Count entries_of(const TaskGraph& graph, const LocalStructure& local, Index data) {
  const auto tiles = static_cast<Index>(graph.tiling.tile.size());
  if (data < tiles) {
    const Tile& tile = graph.tiling.tile[data];
    return static_cast<Count>(tile.row_end - tile.row_begin) * local.width(tile.panel);
  }
  const Contribution& c = graph.contribution[data - graph.contribution_data(0)];
  return (c.row_end - c.row_begin) * local.width(graph.tiling.tile[c.tile].panel);
}

/// Sender, receiver, tag -> entries.
using Letters = std::map<std::tuple<Index, Index, Index>, Count>;

Letters letters(const RankGraphs& all, Message::Kind kind) {
  Letters found;
  for (std::size_t r = 0; r < all.graph.size(); ++r) {
    for (const Message& m : all.graph[r].message) {
      if (m.kind != kind) continue;
      const auto own = static_cast<Index>(r);
      const bool sends = kind == Message::Kind::send;
      const auto key = sends ? std::tuple(own, m.rank, m.tag) : std::tuple(m.rank, own, m.tag);
      EXPECT_NE(m.rank, own);
      EXPECT_TRUE(found.emplace(key, entries_of(all.graph[r], all.local[r], m.data)).second)
          << "tag " << m.tag << " twice between two ranks";
    }
  }
  return found;
}

TEST(Exchange, HasOneReceiveOfTheSameSizeForEachSend) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    EXPECT_EQ(letters(all, Message::Kind::send), letters(all, Message::Kind::receive));
  });
}

TEST(Exchange, CountsMessagesAndBytes) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    Traffic sum;
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const Traffic traffic = traffic_of(all.graph[r], all.local[r]);
      sum.messages_sent += traffic.messages_sent;
      sum.messages_received += traffic.messages_received;
      sum.bytes_sent += traffic.bytes_sent;
      sum.bytes_received += traffic.bytes_received;
    }
    Traffic expected;
    for (const auto& [key, entries] : letters(all, Message::Kind::send)) {
      ++expected.messages_sent;
      expected.bytes_sent += 8 * entries;
    }
    expected.messages_received = expected.messages_sent;
    expected.bytes_received = expected.bytes_sent;
    EXPECT_EQ(sum, expected);
  });
}

/// Every rank's tasks and messages follow one order, in which every message is sent before it is
/// received: all ranks come to their ends though each waits for every message.
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

/// The column of L, and the first row of the tile: alike on all ranks.
using Name = std::pair<Index, Index>;

Name name_of(const LocalStructure& local, const Tile& tile) {
  return {local.column[local.panel_begin[tile.panel]],
          local.column[local.rows(tile.panel)[tile.row_begin]]};
}

/// What travels by the definition, from the products of pairs of rows alone: a tile of a shared
/// panel goes once to each rank that writes a tile with it.
std::set<std::tuple<Name, Index>> tiles_due(const RankGraphs& all) {
  std::set<std::tuple<Name, Index>> due;
  const LocalStructure& local = all.local.front();
  const Tiling& tiling = all.graph.front().tiling;
  const auto tile_of = [&](Index panel, Index row) -> const Tile& {
    const auto rows = local.rows(panel);
    const auto at =
        static_cast<Index>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
    Count t = tiling.tile_begin[panel];
    while (tiling.tile[t].row_end <= at) ++t;
    return tiling.tile[t];
  };
  const auto need = [&](const Tile& tile, Index rank) {
    if (owner_of(local, tile) != rank) due.emplace(name_of(local, tile), rank);
  };
  for (Index j = local.shared_begin; j < local.panels(); ++j) {
    const auto rows = local.rows(j);
    for (const Tile& tile : tiling.of(j)) need(tiling.of(j).front(), owner_of(local, tile));
    for (std::size_t c = local.width(j); c < rows.size(); ++c) {
      Index k = j;
      while (local.panel_begin[k + 1] <= rows[c]) ++k;
      for (std::size_t i = c; i < rows.size(); ++i) {
        const Index rank = owner_of(local, tile_of(k, rows[i]));
        need(tile_of(j, rows[i]), rank);
        need(tile_of(j, rows[c]), rank);
      }
    }
  }
  return due;
}

TEST(Exchange, SendsATileOnceToEachRankThatReadsIt) {
  for_each_rank_graphs([](const PanelStructure& whole, const RankGraphs& all) {
    if (whole.n > 60) return;
    std::set<std::tuple<Name, Index>> sent;
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const TaskGraph& graph = all.graph[r];
      for (const Message& m : graph.message) {
        if (m.kind != Message::Kind::send || m.data >= graph.contribution_data(0)) continue;
        sent.emplace(name_of(all.local[r], graph.tiling.tile[m.data]), m.rank);
      }
    }
    EXPECT_EQ(sent, tiles_due(all));
  });
}

/// Rows of contributions: those of the updates from the domain, computed from its panels one by
/// one instead of from the boundaries.
TEST(Exchange, ContributesTheRowsThatTheDomainUpdates) {
  for_each_rank_graphs([](const PanelStructure&, const RankGraphs& all) {
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const LocalStructure& local = all.local[r];
      const TaskGraph& graph = all.graph[r];
      std::map<Index, std::set<Index>> due;
      for (Index j = 0; j < local.shared_begin; ++j) {
        for (const Block& block : local.blocks(j).subspan(1)) {
          if (block.facing < local.shared_begin) continue;
          for (Count t = graph.tiling.tile_begin[block.facing];
               t < graph.tiling.tile_begin[block.facing + 1]; ++t) {
            const Tile& tile = graph.tiling.tile[t];
            if (owner_of(local, tile) == local.rank) continue;
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

/// All ranks together run each task of one graph once, and one reduction a contribution.
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

TEST(Participates, WhereTheSourceIsInTheDomainElseWhereTheTargetIs) {
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
}  // namespace espalier
