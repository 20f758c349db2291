// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/caches.hpp"

#include <hwloc.h>

#include <memory>

namespace espalier::internal {

namespace {

Count bytes_of_all(hwloc_topology_t topology, hwloc_obj_type_t cache) {
  Count bytes = 0;
  hwloc_obj_t next = nullptr;
  while ((next = hwloc_get_next_obj_by_type(topology, cache, next)) != nullptr) {
    bytes += static_cast<Count>(next->attr->cache.size);
  }
  return bytes;
}

}  // namespace

Count last_level_cache_bytes() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return 0;
  const std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> owner(topology,
                                                                          hwloc_topology_destroy);
  if (hwloc_topology_load(topology) != 0) return 0;
  for (const hwloc_obj_type_t cache : {HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
    if (const Count bytes = bytes_of_all(topology, cache); bytes > 0) return bytes;
  }
  return 0;
}

}  // namespace espalier::internal
