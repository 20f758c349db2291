// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// A number of bytes for people: "512 B", "1.5 KiB", "3.2 GiB".
std::string readable_bytes(Count bytes);

/// Bytes from text: "1500000", "500M", "2.5G", "8GiB" (powers of 1024). Throws UsageError.
Count parse_bytes(const std::string& text);

/// The largest resident set of this process so far, in bytes, without what the process had from
/// which it was forked.
Count peak_resident_bytes();

/// The resident set of this process now, in bytes.
Count resident_bytes();

/// How many bytes more this process gets where it asks for them, and the sentence that goes on with
/// "are available" and what to do about it.
struct AvailableMemory {
  Count bytes = 0;
  const char* told = "";
};

/// Returns what the machine, the control groups of this process and its own limits (ulimit -v,
/// ulimit -d) leave it; where no process of the machine uses `enough` now, that many or more are
/// the machine's, which takes a microsecond to find out.
AvailableMemory available_memory(Count enough);

/// Throws MemoryError where fewer bytes more are available than `what` needs.
void expect_available(const std::string& what, Count bytes);

/// Gives memory that was freed back to the system, where the C library can.
void return_freed_memory();

/// Has the system give this memory now, on so many threads, where it can (Linux 5.14); what it
/// holds stays. Otherwise each page comes when it is first touched, by whoever touches it.
void populate(std::span<double> memory, Index threads);

/// Advises huge pages for memory that was not touched yet, as far as whole ones fit into it: the
/// first touch then costs a third of what small pages cost.
void advise_huge_pages(void* memory, std::size_t bytes);

/// Frees the memory of an array, which assigning {} would keep for the next entries.
template <typename T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

/// Returns the bytes that an array has of the heap; what its elements have there is not counted.
template <typename T>
Count bytes_of(const std::vector<T>& values) {
  return static_cast<Count>(values.capacity() * sizeof(T));  // NOLINT(bugprone-sizeof-expression)
}

/// An uninitialised array of doubles, aligned to 2 MiB and advised to use huge pages when large.
class Buffer {
 public:
  Buffer() = default;
  /// Throws MemoryError, saying how much was asked for, when the system refuses.
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
