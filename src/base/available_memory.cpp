// SPDX-License-Identifier: BSD-3-Clause
#include <sys/sysinfo.h>

#include <fstream>
#include <limits>
#include <string>

#include "base/memory.hpp"

namespace espalier::internal {

namespace {

/// Returns what no process uses now: less than MemAvailable by what the system would give up, but
/// known in a microsecond, where /proc/meminfo takes as long as a tiny problem.
Count free_bytes() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return 0;
  return static_cast<Count>(info.freeram) * info.mem_unit;
}

/// Returns MemAvailable of the system in bytes, or the largest number where it is not to be had.
Count reclaimable_bytes() {
  std::ifstream info("/proc/meminfo");
  std::string key;
  Count kibibytes = 0;
  std::string unit;
  while (info >> key >> kibibytes) {
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(info, unit);
  }
  return std::numeric_limits<Count>::max();
}

}  // namespace

Count available_bytes(Count enough) {
  const Count free = free_bytes();
  return free >= enough ? free : reclaimable_bytes();
}

}  // namespace espalier::internal
