// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "base/scalar.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Buffer::Buffer(Count entries) : size_(entries) {
  if (entries == 0) return;
  constexpr Count most = std::numeric_limits<Count>::max() / 16;
  const std::size_t bytes = static_cast<std::size_t>(entries) * std::size_t{scalar.bytes};
  // Only huge pages that fit into the array are used. If a huge page were only partly in the array,
  // its first touch would map all of it.
  const std::size_t whole_pages = bytes / huge_page * huge_page;
  const std::size_t alignment = whole_pages > 0 ? huge_page : std::size_t{cache_line};
  if (entries <= most) {
    const std::size_t length = rounded_up(bytes, alignment);
    data_.reset(static_cast<double*>(std::aligned_alloc(alignment, length)));
  }
  if (!data_) {
    throw MemoryError("cannot allocate " +
                      readable_bytes(scalar.bytes_of(std::min(entries, most))) +
                      "; free memory or use a machine with more");
  }
  advise_huge_pages(data_.get(), bytes);
}

void advise_huge_pages(void* memory, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = rounded_up(address, huge_page);
  const std::uintptr_t end = (address + bytes) / huge_page * huge_page;
  if (begin < end) {
    madvise(static_cast<char*>(memory) + (begin - address), end - begin, MADV_HUGEPAGE);
  }
}

void populate(std::span<double> memory, Index threads) {
  constexpr std::size_t step = 16 * huge_page;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const bytes = reinterpret_cast<char*>(memory.data());
  const auto first = reinterpret_cast<std::uintptr_t>(bytes);
  const auto last = first + memory.size_bytes();
  const auto begin = first / huge_page * huge_page;
  parallel_for(static_cast<Index>((last - begin + step - 1) / step), threads, [&](Index i) {
    const std::uintptr_t from = std::max(begin + i * step, rounded_up(first, page));
    const std::uintptr_t to = std::min(begin + (i + 1) * step, last / page * page);
    if (from < to) madvise(bytes + (from - first), to - from, MADV_POPULATE_WRITE);
  });
}

void Buffer::Free::operator()(double* data) const { std::free(data); }

}  // namespace espalier::internal
