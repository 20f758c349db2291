// SPDX-License-Identifier: BSD-3-Clause
#include <hwloc.h>
#include <starpu.h>

#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

std::vector<Index> StarpuInstance::cores() const {
  const hwloc_bitmap_t all = hwloc_bitmap_alloc();
  for (unsigned worker = 0; worker < starpu_worker_get_count(); ++worker) {
    const hwloc_bitmap_t own = starpu_worker_get_hwloc_cpuset(static_cast<int>(worker));
    hwloc_bitmap_or(all, all, own);
    hwloc_bitmap_free(own);
  }
  std::vector<Index> found;
  for (int core = -1; (core = hwloc_bitmap_next(all, core)) >= 0;) found.push_back(core);
  hwloc_bitmap_free(all);
  return found;
}

}  // namespace espalier::internal
