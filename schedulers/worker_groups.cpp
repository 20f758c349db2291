// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/worker_groups.hpp"

#include <starpu.h>

#include <algorithm>

#include "schedulers/decide/worker_groups.hpp"
#include "schedulers/options.hpp"

namespace espalier::internal {

std::vector<std::vector<int>> worker_groups(const std::vector<int>& workers, Index groups) {
  std::vector<WorkerPlace> places;
  for (const int worker : workers)
    places.push_back({worker, groups > 0 ? 0 : domain_of_worker(worker)});
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
