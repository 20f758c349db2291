// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Bytes in front of the entries. They store the length of the mapping.
constexpr std::size_t header = 4096;

/// Size of the piece of memory that all entries share: each mapping shows this piece again. So
/// received messages need no further memory. A process may have about 65,000 mappings, which are
/// 2 TB of addresses.
constexpr std::size_t piece = std::size_t{32} << 20;

/// Returns the file in memory that is this piece.
int shared_piece() {
  static const int file = [] {
    const int created = memfd_create("entries of L", MFD_CLOEXEC);
    if (created < 0 || ftruncate(created, piece) != 0) {
      throw MemoryError("cannot get " + readable_bytes(piece) + " of memory for simulated entries");
    }
    return created;
  }();
  return file;
}

}  // namespace

/// Reserves addresses for the entries without memory, because a simulation never computes them.
Buffer::Buffer(Count entries) : size_(entries) {
  if (entries == 0) return;
  const std::size_t bytes = header + static_cast<std::size_t>(entries) * std::size_t{scalar.bytes};
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  bool complete = mapped != MAP_FAILED;
  for (std::size_t at = header; complete && at < bytes; at += piece) {
    complete =
        mmap(static_cast<char*>(mapped) + at, std::min(piece, bytes - at), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, shared_piece(), 0) != MAP_FAILED;
  }
  if (!complete) {
    if (mapped != MAP_FAILED) munmap(mapped, bytes);
    throw MemoryError("cannot get addresses for " + readable_bytes(scalar.bytes_of(entries)) +
                      " of a factor; simulate a smaller problem");
  }
  *static_cast<std::size_t*>(mapped) = bytes;
  data_.reset(reinterpret_cast<double*>(static_cast<char*>(mapped) + header));
}

void populate(std::span<double> /*memory*/, Index /*threads*/) {}

void advise_huge_pages(void* /*memory*/, std::size_t /*bytes*/) {}

void Buffer::Free::operator()(double* data) const {
  void* const mapped = reinterpret_cast<char*>(data) - header;
  munmap(mapped, *static_cast<std::size_t*>(mapped));
}

}  // namespace espalier::internal
