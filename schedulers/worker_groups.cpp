// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/worker_groups.hpp"

#include <hwloc.h>
#include <starpu.h>

#include <algorithm>

#include "schedulers/decide/worker_groups.hpp"
#include "schedulers/options.hpp"

namespace espalier::internal {

namespace {

/// A worker that is not bound to cores of one domain counts to the first one.
Index domain_of(int worker) {
  const hwloc_topology_t machine = starpu_get_hwloc_topology();
  const hwloc_bitmap_t cores = starpu_worker_get_hwloc_cpuset(worker);
  const hwloc_obj_t place = hwloc_get_obj_covering_cpuset(machine, cores);
  hwloc_bitmap_free(cores);
  for (hwloc_obj_t object = place; object != nullptr; object = object->parent) {
    if (object->type == HWLOC_OBJ_L3CACHE) return static_cast<Index>(object->logical_index);
  }
  return place != nullptr ? std::max(0, hwloc_bitmap_first(place->nodeset)) : 0;
}

}  // namespace

std::vector<std::vector<int>> worker_groups(const std::vector<int>& workers, Index groups) {
  std::vector<WorkerPlace> places;
  for (const int worker : workers) places.push_back({worker, groups > 0 ? 0 : domain_of(worker)});
  return groups_of(std::move(places), groups);
}

Index count_worker_groups(const PolicySettings& settings) {
  std::vector<int> workers(starpu_cpu_worker_get_count());
  starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, workers.data(),
                                static_cast<unsigned>(workers.size()));
  const auto groups = worker_groups(workers, static_cast<Index>(settings.number("groups")));
  return std::max<Index>(1, static_cast<Index>(groups.size()));
}

}  // namespace espalier::internal
