// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/packed_pivots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "codelets/samples.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;

/// Pivots of one block.
struct Pivots {
  explicit Pivots(Index w) : sign(w), swap(w), rotation(w), replaced(w) {}

  ChosenPivots chosen() {
    return {sign.data(), swap.data(), rotation.data(), 1, 1, replaced.data()};
  }

  std::vector<double> sign;
  std::vector<Index> swap;
  std::vector<Rotation> rotation;
  std::vector<std::uint8_t> replaced;
};

/// Packs the pivots into a block with these entries, and compares the pivots that another rank
/// reads.
void expect_kept(Pivots given, DenseSample block) {
  const auto w = static_cast<Index>(given.sign.size());
  const DenseSample before = block;
  pack_pivots(block.view(), given.chosen());
  Pivots taken(w);
  take_signs(block.view(), taken.sign.data());
  take_swaps(block.view(), taken.swap.data(), taken.rotation.data());
  EXPECT_EQ(taken.sign, given.sign);
  EXPECT_EQ(taken.swap, given.swap);
  for (Index k = 0; k < w; ++k) {
    const double tolerance = 4 * std::numeric_limits<double>::epsilon();
    EXPECT_EQ(taken.rotation[k].sine == 0, given.rotation[k].sine == 0) << k;
    EXPECT_NEAR(taken.rotation[k].sine, given.rotation[k].sine, tolerance) << k;
    EXPECT_NEAR(taken.rotation[k].cosine, given.rotation[k].cosine, tolerance) << k;
  }
  for (Index j = 0; j < w; ++j) {
    for (Index i = std::max<Index>(j, 1); i < w; ++i) {
      EXPECT_EQ(block(i, j), before(i, j)) << i << ", " << j;
    }
  }
  EXPECT_NEAR(block(0, 0), before(0, 0), 1e-15 * std::abs(before(0, 0)));
}

/// Calls visit(rotation) for all sets of pairs of consecutive columns.
template <class Visit>
void for_each_pairing(std::vector<Rotation>& rotation, Index k, Visit visit) {
  const auto w = static_cast<Index>(rotation.size());
  if (k + 1 >= w) return visit(rotation);
  for_each_pairing(rotation, k + 1, visit);
  for (const double tangent : {0.7, -1.0, 1.0}) {
    rotation[k] = rotation_by(tangent);
    for_each_pairing(rotation, k + 2, visit);
  }
  rotation[k] = {};
}

TEST(PackedPivots, KeepAllPairingsOfNarrowBlocks) {
  for (Index w = 1; w <= 7; ++w) {
    std::vector<Rotation> rotations(w);
    for_each_pairing(rotations, 0, [&](const std::vector<Rotation>& rotation) {
      for (const double first : {1.0, -1.0}) {
        Pivots pivots(w);
        for (Index k = 0; k < w; ++k) pivots.sign[k] = k % 2 == 0 ? first : -first;
        for (Index k = 0; k < w; ++k) pivots.swap[k] = k;
        pivots.rotation = rotation;
        expect_kept(pivots, DenseSample::dominant_lower(w, w));
      }
    });
  }
}

/// Calls visit(swap) for all swaps of a narrow block.
template <class Visit>
void for_each_swap(std::vector<Index>& swap, Index k, Visit visit) {
  const auto w = static_cast<Index>(swap.size());
  if (k == w) return visit(swap);
  for (swap[k] = k; swap[k] < w; ++swap[k]) for_each_swap(swap, k + 1, visit);
}

/// A block of two columns stores a swap or a rotation, because no pivot needs both.
TEST(PackedPivots, KeepAllSwapsOfNarrowBlocks) {
  for (Index w = 1; w <= 6; ++w) {
    std::vector<Index> swaps(w);
    for_each_swap(swaps, 0, [&](const std::vector<Index>& swap) {
      Pivots pivots(w);
      for (Index k = 0; k < w; ++k) pivots.sign[k] = k % 3 == 0 ? -1 : 1;
      pivots.swap = swap;
      for (Index pair = -1; pair + 1 < w; ++pair) {
        if (w == 2 && pair == 0 && swap[0] == 1) continue;
        pivots.rotation.assign(w, {});
        if (pair >= 0) pivots.rotation[pair] = rotation_by(-0.6);
        expect_kept(pivots, DenseSample::dominant_lower(w, 2));
      }
    });
  }
}

TEST(PackedPivots, KeepRandomPivotsOfAllWidths) {
  std::mt19937_64 random(1);
  const auto less_than = [&](Index end) { return static_cast<Index>(random() % end); };
  for (Index w = 1; w <= 40; ++w) {
    for (int run = 0; run < 20; ++run) {
      Pivots pivots(w);
      for (Index k = 0; k < w; ++k) {
        pivots.sign[k] = less_than(2) == 0 ? 1 : -1;
        pivots.swap[k] = k + less_than(w - k);
      }
      for (Index k = 0; k + 1 < w; ++k) {
        if (less_than(2) == 0 || (w == 2 && pivots.swap[0] == 1)) continue;
        pivots.rotation[k++] = rotation_by(1.0 / (1 + less_than(100)) - 0.5);
      }
      expect_kept(pivots, DenseSample::dominant_lower(w, run));
    }
  }
}

TEST(PackedPivots, KeepGivenSigns) {
  for (Index w = 1; w <= 9; ++w) {
    Pivots given(w);
    for (Index k = 0; k < w; ++k) given.sign[k] = k % 3 == 0 ? -1 : 1;
    DenseSample block = DenseSample::dominant_lower(w, 3);
    pack_signs(block.view(), given.sign.data());
    Pivots taken(w);
    take_signs(block.view(), taken.sign.data());
    take_swaps(block.view(), taken.swap.data(), taken.rotation.data());
    EXPECT_EQ(taken.sign, given.sign);
    for (Index k = 0; k < w; ++k) {
      EXPECT_EQ(taken.swap[k], k);
      EXPECT_EQ(taken.rotation[k].sine, 0);
    }
  }
}

/// A task that does not know of a failed pivot check reads a block without pivots.
TEST(PackedPivots, StayWithinABlockOfAnyNumbers) {
  for (Index w = 1; w <= 9; ++w) {
    for (const double number :
         {std::numeric_limits<double>::quiet_NaN(), -1e300, 1e300, -1.0, 1e9}) {
      DenseSample block(w, w);
      for (Index j = 0; j < w; ++j) {
        for (Index i = 0; i < w; ++i) block(i, j) = number;
      }
      Pivots taken(w);
      take_swaps(block.view(), taken.swap.data(), taken.rotation.data());
      for (Index k = 0; k < w; ++k) {
        EXPECT_GE(taken.swap[k], k);
        EXPECT_LT(taken.swap[k], w);
      }
    }
  }
}

TEST(PackedPivots, PutSignsIntoAllNumbers) {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  for (const double number : {1.0, -1.0, 0.0, -0.0, tiny, -tiny, 3 * tiny, 1e300, -1e-300, 0.1}) {
    for (const double sign : {1.0, -1.0}) {
      const double put = put_sign(number, sign);
      EXPECT_EQ(sign_in(put), sign) << number;
      EXPECT_NEAR(put, number, std::max(tiny, 2.3e-16 * std::abs(number)));
      EXPECT_EQ(put_sign(put, sign), put);
    }
  }
}

TEST(PackedPivots, PutSignsIntoTheFirstRow) {
  DenseSample tile = DenseSample::random(3, 4, 1);
  tile(0, 2) = 0;
  const DenseSample before = tile;
  const std::vector<double> sign{-1, 1, -1, 1};
  put_signs(tile.view(), sign.data());
  std::vector<double> taken(4);
  take_signs(tile.view(), taken.data());
  EXPECT_EQ(taken, sign);
  for (Index j = 0; j < 4; ++j) {
    EXPECT_NEAR(tile(0, j), before(0, j), 1e-15);
    for (Index i = 1; i < 3; ++i) EXPECT_EQ(tile(i, j), before(i, j));
  }
}

}  // namespace
}  // namespace espalier::internal
