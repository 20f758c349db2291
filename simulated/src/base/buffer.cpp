// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>

#include "base/memory.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// A number of bytes before the entries says how long the mapping is.
constexpr std::size_t header = 4096;

}  // namespace

/// Nobody computes entries, so that they take addresses and no memory, whatever their number.
Buffer::Buffer(Count entries) : size_(entries) {
  if (entries == 0) return;
  const std::size_t bytes = header + static_cast<std::size_t>(entries) * sizeof(double);
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw MemoryError("cannot get addresses for " + readable_bytes(entries * 8) +
                      " of a factor; simulate a smaller problem");
  }
  *static_cast<std::size_t*>(mapped) = bytes;
  data_.reset(reinterpret_cast<double*>(static_cast<char*>(mapped) + header));
}

void Buffer::Free::operator()(double* data) const {
  void* const mapped = reinterpret_cast<char*>(data) - header;
  munmap(mapped, *static_cast<std::size_t*>(mapped));
}

}  // namespace espalier::internal
