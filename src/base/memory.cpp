// SPDX-License-Identifier: BSD-3-Clause

#include "base/memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "base/printable.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

std::string readable_bytes(Count bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

namespace {
/// Returns the exponent of 1024 for a suffix ("", "K", "kB", "MiB", ...), or -1 if it is unknown.
int power_of(std::string suffix) {
  for (char& c : suffix) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (suffix.empty() || suffix == "B") return 0;
  const auto power = std::string("KMGT").find(suffix[0]);
  const std::string rest = suffix.substr(1);
  const bool known = rest.empty() || rest == "B" || rest == "IB";
  return power == std::string::npos || !known ? -1 : static_cast<int>(power) + 1;
}
}  // namespace

Count parse_bytes(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  const int power = power_of(std::string(at, end));
  const double bytes = value * std::pow(1024.0, power);
  if (error != std::errc() || power < 0 || !(bytes >= 0) || bytes > 9e18) {
    throw UsageError(internal::quoted(text) +
                     " is not a number of bytes; write 1500000, 500M or 2.5G");
  }
  return static_cast<Count>(bytes);
}

namespace {

/// Returns the largest resident set of this process, including the time before it ran this program.
/// A forked process begins with the size of its parent. Cost O(1).
Count peak_with_ancestor() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Count>(usage.ru_maxrss) * 1024;
}

/// Returns the largest resident set of this process since it began to run this program. A call
/// takes about 30 microseconds.
Count peak_of_program() {
  std::ifstream status("/proc/self/status");
  std::string key;
  Count kibibytes = 0;
  while (status >> key) {
    if (key == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return peak_with_ancestor();
}

}  // namespace

Count peak_resident_bytes() {
  static const Count of_ancestor = [] {
    const Count both = peak_with_ancestor();
    return both > peak_of_program() ? both : 0;
  }();
  const Count peak = peak_with_ancestor();
  if (peak > of_ancestor) return peak;
  // The peak may decrease a little, because the system counts pages in batches.
  static std::atomic<Count> most = 0;
  const Count now = peak_of_program();
  for (Count before = most; before < now && !most.compare_exchange_weak(before, now);) {
  }
  return most;
}

void expect_available(const std::string& what, Count bytes) {
  const AvailableMemory available = available_memory(bytes);
  if (bytes <= available.bytes) return;
  throw MemoryError(what + " needs about " + readable_bytes(bytes) + " more, but only " +
                    readable_bytes(available.bytes) + " " + available.message);
}

void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace espalier::internal
