// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace espalier {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

TEST(MemoryPool, GivesAlignedMemory) {
  MemoryPool pool;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65}, mebibyte}) {
    void* const memory = pool.take(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
    std::memset(memory, 1, bytes);
  }
}

TEST(MemoryPool, NeedsNoMoreForTheSameAgain) {
  MemoryPool pool;
  Count held = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> taken;
    for (std::size_t k = 1; k <= 40; ++k) taken.push_back(pool.take(k * mebibyte));
    if (round == 0) held = pool.held_bytes();
    for (std::size_t k = 1; k <= 40; ++k) pool.give_back(taken[k - 1], k * mebibyte);
  }
  EXPECT_EQ(pool.held_bytes(), held);
}

TEST(MemoryPool, JoinsNeighboursInWhateverOrderTheyCome) {
  for (const std::vector<int>& order : {std::vector{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    MemoryPool pool;
    std::vector<void*> third;
    for (int k = 0; k < 3; ++k) third.push_back(pool.take(10 * mebibyte));
    const Count held = pool.held_bytes();
    for (const int k : order) pool.give_back(third[k], 10 * mebibyte);
    EXPECT_NE(pool.take(30 * mebibyte), nullptr);
    EXPECT_EQ(pool.held_bytes(), held);
  }
}

TEST(MemoryPool, KeepsPiecesApart) {
  struct Piece {
    unsigned char* memory;
    std::size_t bytes;
    unsigned char mark;
  };
  std::mt19937 random(1);
  MemoryPool pool;
  std::vector<Piece> pieces;
  for (int step = 0; step < 2000; ++step) {
    if (pieces.size() > 50 || (!pieces.empty() && random() % 3 == 0)) {
      const std::size_t chosen = random() % pieces.size();
      const Piece piece = pieces[chosen];
      for (std::size_t i = 0; i < piece.bytes; ++i) ASSERT_EQ(piece.memory[i], piece.mark);
      pool.give_back(piece.memory, piece.bytes);
      pieces[chosen] = pieces.back();
      pieces.pop_back();
      continue;
    }
    const std::size_t bytes = random() % 3000;
    auto* const memory = static_cast<unsigned char*>(pool.take(bytes));
    const auto mark = static_cast<unsigned char>(random());
    std::memset(memory, mark, bytes);
    pieces.push_back({memory, bytes, mark});
  }
}

TEST(MemoryPool, HasNothingWhereTheSystemRefuses) {
  MemoryPool pool;
  EXPECT_EQ(pool.take(std::size_t{1} << 60), nullptr);
  EXPECT_NE(pool.take(100), nullptr);
}

}  // namespace
}  // namespace espalier
