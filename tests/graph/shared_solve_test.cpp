// SPDX-License-Identifier: BSD-3-Clause
#include "graph/shared_solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "graph/rank_tilings.hpp"

namespace espalier {
namespace {

using Action = SharedSolve::Action;
using support::RankTilings;

constexpr Count tile_sizes[] = {1, 40, 1000000};

/// Calls visit(structure, ranks, solves) with the SharedSolve of each rank.
template <class Visit>
void for_each_solve(Visit visit) {
  support::for_each_rank_tilings([&](const PanelStructure& whole, const RankTilings& ranks) {
    for (const Count size : tile_sizes) {
      std::vector<SharedSolve> solves;
      solves.reserve(ranks.local.size());
      for (Index rank = 0; rank < ranks.ranks(); ++rank) {
        solves.push_back(build_shared_solve(ranks.local[rank], ranks.tiling[rank], size));
      }
      visit(whole, ranks, solves);
    }
  });
}

struct Letter {
  Index from;
  Index to;
  Index tag;
  Index rows;
  auto operator<=>(const Letter&) const = default;
};

Letter letter(const LocalStructure& local, const SharedSolve& solve,
              const SharedSolve::Step& step) {
  const Index rows = local.width(solve.segment[step.segment].panel);
  if (step.action == Action::send) return {local.rank, step.other, step.tag, rows};
  return {step.other, local.rank, step.tag, rows};
}

TEST(SharedSolve, EverySendHasItsReceiveAndATagOfItsOwn) {
  for_each_solve([](const auto&, const RankTilings& ranks, const auto& solves) {
    std::multiset<Letter> sent;
    std::multiset<Letter> received;
    std::set<std::tuple<Index, Index, Index>> different;
    for (Index rank = 0; rank < ranks.ranks(); ++rank) {
      const SharedSolve& solve = solves[rank];
      for (const auto* steps : {&solve.forward, &solve.backward}) {
        for (const auto& step : *steps) {
          if (step.action != Action::send && step.action != Action::receive) continue;
          const Letter message = letter(ranks.local[rank], solve, step);
          EXPECT_NE(message.from, message.to);
          EXPECT_LT(message.tag, 4 * std::ssize(solve.rows));
          (step.action == Action::send ? sent : received).insert(message);
          if (step.action == Action::send) different.emplace(message.from, message.to, message.tag);
        }
      }
    }
    EXPECT_EQ(sent, received);
    EXPECT_EQ(sent.size(), different.size());
  });
}

/// Runs all ranks' steps as far as messages allow; true when all come to their end.
bool all_end(const std::vector<SharedSolve>& solves) {
  std::set<std::tuple<Index, Index, Index>> under_way;
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
        if (step.action == Action::send) under_way.insert({rank, step.other, step.tag});
        if (step.action == Action::receive && under_way.erase({step.other, rank, step.tag}) == 0) {
          break;
        }
        moved = true;
      }
      ended &= done[r] == all.size();
    }
  }
  return ended && under_way.empty();
}

TEST(SharedSolve, RunsToTheEndWhenEveryReceiveWaits) {
  for_each_solve(
      [](const auto&, const auto&, const auto& solves) { EXPECT_TRUE(all_end(solves)); });
}

/// The ranks other than the owner of the diagonal tile that hold rows or columns of each shared
/// panel, from the whole structure.
struct Holders {
  std::map<Index, std::set<Index>> rows;
  std::map<Index, std::set<Index>> columns;

  std::size_t messages() const {
    std::size_t sum = 0;
    for (const auto* held : {&rows, &columns}) {
      for (const auto& [panel, ranks] : *held) sum += ranks.size();
    }
    return sum;
  }
};

Holders holders(const PanelStructure& whole, const RankTilings& ranks) {
  const LocalStructure& any = ranks.local[0];
  std::vector<Index> number(whole.panels(), -1);
  Index shared = 0;
  for (Index p = 0; p < whole.panels(); ++p) {
    if (ranks.map.domain[p] == RankMap::shared) number[p] = any.shared_begin + shared++;
  }
  Holders held;
  const auto note = [&](std::map<Index, std::set<Index>>& of, Index panel, Index rank) {
    if (rank != any.owner(panel, panel)) of[panel].insert(rank);
  };
  for (Index p = 0; p < whole.panels(); ++p) {
    if (number[p] < 0) {
      for (const Block& block : whole.blocks(p)) {
        if (number[block.facing] >= 0) note(held.rows, number[block.facing], ranks.map.domain[p]);
      }
      continue;
    }
    for (const Tile& tile : ranks.tiling[0].of(number[p])) {
      Index owner = -1;
      for (Count b = whole.block_begin[p]; b < whole.block_begin[p + 1]; ++b) {
        const Block& block = whole.block[b];
        if (block.row_offset < tile.row_begin || block.row_offset >= tile.row_end) continue;
        if (owner < 0) owner = any.owner(number[p], number[block.facing]);
        if (block.facing != p) note(held.rows, number[block.facing], owner);
      }
      if (tile.row_begin > 0) note(held.columns, number[p], owner);
    }
  }
  return held;
}

/// One message a direction for each segment that is not the owner's.
TEST(SharedSolve, SendsWhatTheMapPredicts) {
  for_each_solve([](const PanelStructure& whole, const RankTilings& ranks, const auto& solves) {
    const std::size_t predicted = holders(whole, ranks).messages();
    std::size_t forward = 0;
    std::size_t backward = 0;
    const auto sends = [](const SharedSolve::Step& step) { return step.action == Action::send; };
    for (const SharedSolve& solve : solves) {
      forward += std::count_if(solve.forward.begin(), solve.forward.end(), sends);
      backward += std::count_if(solve.backward.begin(), solve.backward.end(), sends);
    }
    EXPECT_EQ(forward, predicted);
    EXPECT_EQ(backward, predicted);
  });
}

TEST(SharedSolve, PartsDivideTheTilesOfEachRank) {
  for_each_solve([](const auto&, const RankTilings& ranks, const auto& solves) {
    for (Index rank = 0; rank < ranks.ranks(); ++rank) {
      const LocalStructure& local = ranks.local[rank];
      std::vector<SharedSolve::Part> left = solves[rank].part;
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
            const auto& part = left.back();
            EXPECT_EQ(&ranks.tiling[rank].tile[part.tile], &tile);
            EXPECT_EQ(part.panel, p);
            EXPECT_EQ(part.tile_row, tile.row_begin);
            ASSERT_EQ(part.row_begin, begin);
            ASSERT_GE(part.row_end, begin == 0 ? local.width(p) : begin + 1);
            EXPECT_EQ(part.first, first);
            begin = part.row_end;
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

/// The front is what the segments of rows are together, in the order of columns.
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
      EXPECT_EQ(solve.front_rows, rows);
    }
  });
}

}  // namespace
}  // namespace espalier
