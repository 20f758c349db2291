// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns a readable number of bytes: "512 B", "1.5 KiB", "3.2 GiB".
std::string readable_bytes(Count bytes);

/// Returns the number of bytes in a text: "1500000", "500M", "2.5G", "8GiB" (powers of 1024).
/// Throws UsageError for any other text.
Count parse_bytes(const std::string& text);

/// Returns the largest resident set of this process so far, in bytes. The result excludes memory
/// that the parent process had before the fork.
Count peak_resident_bytes();

/// Returns the current resident set of this process, in bytes.
Count resident_bytes();

/// Bytes that this process can still allocate. `message` completes a message after the number of
/// bytes: it names the limit and the remedy.
struct AvailableMemory {
  Count bytes = 0;
  const char* message = "";
};

/// Returns the memory that the machine, the control groups of this process and its own limits
/// (ulimit -v, ulimit -d) leave to it. If the machine has at least `enough` free bytes, memory that
/// the system could reclaim does not count. This saves time, because reading the number of free
/// bytes takes only a microsecond.
AvailableMemory available_memory(Count enough);

/// Throws MemoryError if fewer than `bytes` bytes are available. The first argument names the part
/// that needs them.
void expect_available(const std::string& what, Count bytes);

/// Returns freed memory to the system, if the C library can.
void return_freed_memory();

/// Asks the system to map this memory now, on `threads` threads, if it can (Linux 5.14). The
/// contents stay. Otherwise each page is mapped when a thread first touches it.
void populate(std::span<double> memory, Index threads);

/// Advises the system to use huge pages wherever a whole one lies inside this memory. Call it
/// before the memory is first touched. The first touch then takes a third of the time that it takes
/// with small pages.
void advise_huge_pages(void* memory, std::size_t bytes);

/// Empties an array and frees its memory. Assigning {} would keep the memory.
template <typename T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

/// Returns the bytes of an array on the heap, without memory that its elements own there.
template <typename T>
Count bytes_of(const std::vector<T>& values) {
  return static_cast<Count>(values.capacity() * sizeof(T));  // NOLINT(bugprone-sizeof-expression)
}

/// Uninitialised array of doubles. Arrays of at least 2 MiB are aligned to 2 MiB and use huge pages
/// if the system provides them.
class Buffer {
 public:
  Buffer() = default;
  /// Throws MemoryError, with the requested size, if the system refuses the memory.
  explicit Buffer(Count entries);

  double* data() const { return data_.get(); }
  Count size() const { return size_; }
  std::span<double> span() const { return {data_.get(), static_cast<std::size_t>(size_)}; }

 private:
  struct Free {
    void operator()(double* data) const;
  };
  std::unique_ptr<double, Free> data_;
  Count size_ = 0;
};

}  // namespace espalier::internal
