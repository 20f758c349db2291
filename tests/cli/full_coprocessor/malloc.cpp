// SPDX-License-Identifier: BSD-3-Clause
//
// Simulates a coprocessor whose memory is full. It is preloaded, and limits the coprocessor to
// FULL_COPROCESSOR_BYTES bytes of allocations that are as large as tiles.

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>

extern "C" {

void* __libc_malloc(std::size_t bytes);  // NOLINT(bugprone-reserved-identifier): glibc's own
void __libc_free(void* memory);          // NOLINT(bugprone-reserved-identifier): glibc's own

namespace {

constexpr std::size_t least_counted = std::size_t{1} << 15;
std::atomic<std::size_t> used;

/// Returns the limit in bytes, 0 in all processes except coprocessors.
std::size_t limit() {
  static const std::size_t bytes = [] {
    const char* const value = std::getenv("FULL_COPROCESSOR_BYTES");
    const bool is_coprocessor = std::getenv("STARPU_TCPIP_MS_MASTER") != nullptr;
    return value != nullptr && is_coprocessor ? std::strtoull(value, nullptr, 10) : 0;
  }();
  return bytes;
}

}  // namespace

void* malloc(std::size_t bytes) {
  if (bytes >= least_counted && limit() > 0 && used + bytes > limit()) return nullptr;
  void* const memory = __libc_malloc(bytes);
  if (bytes >= least_counted) used += malloc_usable_size(memory);
  return memory;
}

void free(void* memory) {
  const std::size_t bytes = memory == nullptr ? 0 : malloc_usable_size(memory);
  if (bytes >= least_counted) used -= bytes;
  __libc_free(memory);
}
}
