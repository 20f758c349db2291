// SPDX-License-Identifier: BSD-3-Clause
#include <hwloc.h>
#include <starpu.h>

#include <algorithm>

#include "schedulers/worker_groups.hpp"

namespace espalier::internal {

Index domain_of_worker(int worker) {
  const hwloc_topology_t machine = starpu_get_hwloc_topology();
  const hwloc_bitmap_t cores = starpu_worker_get_hwloc_cpuset(worker);
  const hwloc_obj_t place = hwloc_get_obj_covering_cpuset(machine, cores);
  hwloc_bitmap_free(cores);
  for (hwloc_obj_t object = place; object != nullptr; object = object->parent) {
    if (object->type == HWLOC_OBJ_L3CACHE) return static_cast<Index>(object->logical_index);
  }
  return place != nullptr ? std::max(0, hwloc_bitmap_first(place->nodeset)) : 0;
}

}  // namespace espalier::internal
