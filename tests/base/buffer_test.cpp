// SPDX-License-Identifier: BSD-3-Clause
#include "base/buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "espalier/error.hpp"
#include "support/expect_error.hpp"

namespace espalier {
namespace {

std::uintptr_t address(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST(Buffer, OfNothingHasNoMemory) {
  for (const Buffer& buffer : {Buffer(), Buffer(0)}) {
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(buffer.size(), 0);
    EXPECT_TRUE(buffer.span().empty());
  }
}

TEST(Buffer, IsAlignedToCacheLinesWhenSmall) {
  for (const Count entries : {1, 2, 7, 8, 9, 1000}) {
    const Buffer buffer(entries);
    EXPECT_EQ(address(buffer) % 64, 0u) << entries;
    EXPECT_EQ(buffer.size(), entries);
    for (double& value : buffer.span()) value = 1;
  }
}

TEST(Buffer, IsAlignedToHugePagesWhenLarge) {
  constexpr Count huge_page = (Count{2} << 20) / Count{sizeof(double)};
  for (const Count entries : {huge_page, huge_page + 1, 3 * huge_page}) {
    const Buffer buffer(entries);
    EXPECT_EQ(address(buffer) % (std::uintptr_t{2} << 20), 0u) << entries;
    buffer.span().front() = 1;
    buffer.span().back() = 2;
  }
}

TEST(Buffer, MovesItsMemory) {
  Buffer first(10);
  double* const memory = first.data();
  const Buffer second(std::move(first));
  EXPECT_EQ(second.data(), memory);
  EXPECT_EQ(second.size(), 10);
}

/// More than a process can address, with and without the number of bytes passing 2^64.
TEST(Buffer, OfAbsurdSizeIsRefused) {
  for (const Count entries : {Count{1} << 50, Count{1} << 58}) {
    support::expect_error<MemoryError>([&] { Buffer buffer(entries); }, {"cannot allocate", "iB"});
  }
  for (const Count entries : {Count{1} << 61, Count{3} << 60, std::numeric_limits<Count>::max()}) {
    support::expect_error<MemoryError>([&] { Buffer buffer(entries); }, {"cannot allocate"});
  }
}

}  // namespace
}  // namespace espalier
