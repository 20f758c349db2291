// SPDX-License-Identifier: BSD-3-Clause
#include "graph/shared_solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graph/predicted_traffic.hpp"
#include "graph/rank_graphs.hpp"

namespace espalier::internal {
namespace {

using Kind = SharedSolve::Step::Kind;
using support::RankTilings;

constexpr Count few_tile_sizes[] = {1, 40, 1000000};

/// Calls visit(structure, ranks, solves) with the SharedSolve of each rank.
template <class Visit>
void for_each_solve(Visit visit) {
  support::for_each_rank_tilings([&](const PanelStructure& whole, const RankTilings& ranks) {
    for (const Count size : few_tile_sizes) {
      std::vector<SharedSolve> solves;
      solves.reserve(ranks.local.size());
      for (Index rank = 0; rank < ranks.ranks(); ++rank) {
        solves.push_back(build_shared_solve(ranks.local[rank], ranks.tiling[rank], size));
      }
      visit(whole, ranks, solves);
    }
  });
}

struct SentMessage {
  Index from;
  Index to;
  Index tag;
  Index rows;
  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler generates the 0
  auto operator<=>(const SentMessage&) const = default;
};

SentMessage sent_message(const LocalStructure& local, const SharedSolve& solve,
                         const SharedSolve::Step& step) {
  const Index rows = local.width(solve.segment[step.segment].panel);
  if (step.kind == Kind::send) return {local.rank, step.other, step.tag, rows};
  return {step.other, local.rank, step.tag, rows};
}

TEST(SharedSolve, EverySendHasItsReceiveAndATagOfItsOwn) {
  for_each_solve([](const auto&, const RankTilings& ranks, const auto& solves) {
    std::multiset<SentMessage> sent;
    std::multiset<SentMessage> received;
    std::set<std::tuple<Index, Index, Index>> different;
    for (Index rank = 0; rank < ranks.ranks(); ++rank) {
      const SharedSolve& solve = solves[rank];
      for (const auto* steps : {&solve.forward, &solve.backward}) {
        for (const auto& step : *steps) {
          if (step.kind != Kind::send && step.kind != Kind::receive) continue;
          const SentMessage message = sent_message(ranks.local[rank], solve, step);
          EXPECT_NE(message.from, message.to);
          EXPECT_LT(message.tag, 4 * std::ssize(solve.rows));
          (step.kind == Kind::send ? sent : received).insert(message);
          if (step.kind == Kind::send) different.emplace(message.from, message.to, message.tag);
        }
      }
    }
    EXPECT_EQ(sent, received);
    EXPECT_EQ(sent.size(), different.size());
  });
}

/// Runs the steps of all ranks as far as messages allow. Returns whether all ranks reach their
/// ends.
bool all_end(const std::vector<SharedSolve>& solves) {
  std::set<std::tuple<Index, Index, Index>> in_progress;
  std::vector<std::size_t> done(solves.size());
  const auto steps = [&](std::size_t rank) {
    std::vector<SharedSolve::Step> all = solves[rank].forward;
    all.insert(all.end(), solves[rank].backward.begin(), solves[rank].backward.end());
    return all;
  };
  bool moved = true;
  bool ended = false;
  while (moved) {
    moved = false;
    ended = true;
    for (std::size_t r = 0; r < solves.size(); ++r) {
      const auto rank = static_cast<Index>(r);
      const auto all = steps(r);
      for (; done[r] < all.size(); ++done[r]) {
        const auto& step = all[done[r]];
        if (step.kind == Kind::send) in_progress.insert({rank, step.other, step.tag});
        if (step.kind == Kind::receive && in_progress.erase({step.other, rank, step.tag}) == 0) {
          break;
        }
        moved = true;
      }
      ended &= done[r] == all.size();
    }
  }
  return ended && in_progress.empty();
}

TEST(SharedSolve, RunsToTheEndWhenEveryReceiveWaits) {
  for_each_solve(
      [](const auto&, const auto&, const auto& solves) { EXPECT_TRUE(all_end(solves)); });
}

TEST(SharedSolve, SendsWhatTheMapPredicts) {
  for_each_solve([](const PanelStructure& whole, const RankTilings& ranks, const auto& solves) {
    const support::PredictedTraffic predicted(whole, ranks.map, ranks.local[0], ranks.tiling[0]);
    std::vector<Traffic> traffic(ranks.ranks());
    for (Index rank = 0; rank < ranks.ranks(); ++rank) {
      for (const auto* steps : {&solves[rank].forward, &solves[rank].backward}) {
        for (const auto& step : *steps) {
          const Count bytes = 8 * sent_message(ranks.local[rank], solves[rank], step).rows;
          if (step.kind == Kind::send) {
            ++traffic[rank].messages_sent;
            traffic[rank].bytes_sent += bytes;
          } else if (step.kind == Kind::receive) {
            ++traffic[rank].messages_received;
            traffic[rank].bytes_received += bytes;
          }
        }
      }
    }
    EXPECT_EQ(traffic, predicted.of_solve(1));
  });
}

TEST(SharedSolve, TilesDivideThoseOfTheFactor) {
  for_each_solve([](const auto&, const RankTilings& ranks, const auto& solves) {
    for (Index rank = 0; rank < ranks.ranks(); ++rank) {
      const LocalStructure& local = ranks.local[rank];
      std::vector<SharedSolve::Tile> left = solves[rank].tile;
      std::reverse(left.begin(), left.end());
      for (Index p = local.shared_begin; p < local.panels(); ++p) {
        bool first = true;
        for (const Tile& tile : ranks.tiling[rank].of(p)) {
          const Index row = local.rows(p)[tile.row_begin];
          Index facing = p;
          while (row >= local.panel_begin[facing + 1]) ++facing;
          if (local.owner(p, facing) != rank) continue;
          for (Index begin = tile.row_begin; begin < tile.row_end; left.pop_back()) {
            ASSERT_FALSE(left.empty());
            const auto& some = left.back();
            EXPECT_EQ(&ranks.tiling[rank].tile[some.factor_tile], &tile);
            EXPECT_EQ(some.panel, p);
            EXPECT_EQ(some.factor_row, tile.row_begin);
            ASSERT_EQ(some.row_begin, begin);
            ASSERT_GE(some.row_end, begin == 0 ? local.width(p) : begin + 1);
            EXPECT_EQ(some.first, first);
            const Index first_row = local.rows(p)[some.row_begin];
            EXPECT_LE(local.panel_begin[some.row_panel], first_row);
            EXPECT_LT(first_row, local.panel_begin[some.row_panel + 1]);
            const RankGrid& grid = local.grid[p - local.shared_begin];
            EXPECT_EQ(some.own_row, grid.own_row(some.row_panel - local.shared_begin));
            EXPECT_EQ(some.own_column, grid.own_column(p - local.shared_begin));
            begin = some.row_end;
            first = false;
          }
        }
      }
      EXPECT_TRUE(left.empty());
    }
  });
}

TEST(SharedSolve, OwnersHaveOneSegmentForRowsAndColumns) {
  for_each_solve([](const auto&, const RankTilings& ranks, const auto& solves) {
    for (Index rank = 0; rank < ranks.ranks(); ++rank) {
      const LocalStructure& local = ranks.local[rank];
      const SharedSolve& solve = solves[rank];
      for (Index k = 0; k < std::ssize(solve.rows); ++k) {
        const Index panel = local.shared_begin + k;
        const bool owns = local.owner(panel, panel) == rank;
        EXPECT_EQ(owns, solve.rows[k] >= 0 && solve.rows[k] == solve.columns[k]);
      }
    }
  });
}

/// The rows of a node are the concatenation of its segments, in the order of columns.
TEST(SharedSolve, SegmentsFollowOneAnother) {
  for_each_solve([](const auto&, const RankTilings& ranks, const auto& solves) {
    for (Index rank = 0; rank < ranks.ranks(); ++rank) {
      const SharedSolve& solve = solves[rank];
      Index place = 0;
      Index rows = 0;
      Index last = -1;
      for (std::size_t s = 0; s < solve.segment.size(); ++s) {
        const auto& segment = solve.segment[s];
        EXPECT_EQ(segment.place, place);
        place += ranks.local[rank].width(segment.panel);
        if (solve.rows[segment.panel - solve.first_panel] != static_cast<Index>(s)) continue;
        EXPECT_EQ(segment.place, rows);
        EXPECT_GT(segment.panel, last);
        rows = place;
        last = segment.panel;
      }
      EXPECT_EQ(solve.total_rows, place);
      EXPECT_EQ(solve.node_rows, rows);
    }
  });
}

}  // namespace
}  // namespace espalier::internal
