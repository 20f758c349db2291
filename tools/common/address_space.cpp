// SPDX-License-Identifier: BSD-3-Clause
#include "common/address_space.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "base/bytes.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

/// OpenBLAS's buffer (128 MiB), malloc's arena (64 MiB) and the stack (8 MiB) of a thread; most is
/// never touched.
constexpr Count bytes_a_worker = Count{200} << 20;

Count address_space_in_use() {
  Count pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

void expect_address_space(Index workers, Count bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const Count needed = address_space_in_use() + workers * bytes_a_worker + bytes;
  if (needed <= static_cast<Count>(limit.rlim_cur)) return;
  throw MemoryError("about " + readable_bytes(needed) + " of address space are needed for " +
                    std::to_string(workers) + " workers, but the limit (ulimit -v) is " +
                    readable_bytes(static_cast<Count>(limit.rlim_cur)) +
                    "; raise it or use fewer --workers");
}

}  // namespace espalier
