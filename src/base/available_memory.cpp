// SPDX-License-Identifier: BSD-3-Clause
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/control_groups.hpp"
#include "base/memory.hpp"

namespace espalier::internal {

namespace {

/// Returns the free memory of the machine, in bytes. Unlike MemAvailable, the result excludes
/// memory that the system could reclaim. The call takes a microsecond. Reading /proc/meminfo takes
/// as long as solving a tiny problem.
Count free_bytes() {
  struct sysinfo info {};
  if (sysinfo(&info) != 0) return 0;
  return static_cast<Count>(info.freeram) * info.mem_unit;
}

/// Returns MemAvailable of the system in bytes, or the largest number if it cannot be read.
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

/// Numbers of /proc/self/statm, in bytes.
struct Mapped {
  Count all = 0;
  Count resident = 0;
  Count data = 0;
};

Mapped mapped_now() {
  Count shared = 0;
  Count text = 0;
  Count library = 0;
  Mapped mapped;
  std::ifstream("/proc/self/statm") >> mapped.all >> mapped.resident >> shared >> text >> library >>
      mapped.data;
  const Count page = sysconf(_SC_PAGESIZE);
  return {mapped.all * page, mapped.resident * page, mapped.data * page};
}

/// Reduces `available` if this limit of the process leaves fewer bytes.
void limit_by(__rlimit_resource resource, Count Mapped::*used, const char* message,
              AvailableMemory& available) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const Count left = std::max(static_cast<Count>(limit.rlim_cur) - mapped_now().*used, Count{0});
  if (left < available.bytes) available = {left, message};
}

}  // namespace

AvailableMemory available_memory(Count enough) {
  static const ControlGroups groups;
  const Count free = free_bytes();
  AvailableMemory available{free >= enough ? free : reclaimable_bytes(),
                            "of memory is available; use a larger machine"};
  if (const Count in_group = groups.available(); in_group < available.bytes) {
    available = {in_group, "of memory is available in its control group; raise the group's limit"};
  }
  limit_by(RLIMIT_AS, &Mapped::all, "of address space is available; raise the limit (ulimit -v)",
           available);
  limit_by(RLIMIT_DATA, &Mapped::data, "of data space is available; raise the limit (ulimit -d)",
           available);
  return available;
}

Count resident_bytes() { return mapped_now().resident; }

}  // namespace espalier::internal
