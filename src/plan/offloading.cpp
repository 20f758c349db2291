// SPDX-License-Identifier: BSD-3-Clause

#include "plan/offloading.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "base/scalar.hpp"
#include "graph/joined_updates.hpp"

namespace espalier::internal {

namespace {

struct Sources {
  std::set<Index> tiles;
  Count all = 0;
  Count largest = 0;  ///< maximum bytes that one update reads
};

}  // namespace

DeviceBytes bytes_on_devices(const TaskGraph& graph, const PanelStructure& structure, Index devices,
                             std::optional<DeviceLimit> limit) {
  std::vector<Count> shadows(devices, 0);
  for (const Contribution& c : graph.contribution) {
    if (c.is_shadow()) shadows[c.device] += scalar.bytes_of(graph.entries_of(structure, c));
  }
  std::vector<Sources> sources(devices);
  for (const Task& task : graph.task) {
    if (task.kind != TaskKind::update || task.contribution < 0) continue;
    const Contribution& shadow = graph.contribution[task.contribution];
    if (!shadow.is_shadow()) continue;
    Sources& there = sources[shadow.device];
    Count together = 0;
    for (const Index t : std::set{task.left, task.right}) {
      const Count size = scalar.bytes_of(entries_of(structure, graph.tiling.tile[t]));
      together += size;
      if (there.tiles.insert(t).second) there.all += size;
    }
    there.largest = std::max(there.largest, together);
  }
  DeviceBytes fullest;
  if (limit && devices > 0)
    fullest.beside = std::max(Count{0}, limit->bytes - std::ranges::max(shadows));
  for (Index d = 0; d < devices; ++d) {
    const Sources& s = sources[d];
    const Count space = limit ? std::max(fullest.beside, limit->workers * s.largest) : s.all;
    fullest.most = std::max(fullest.most, shadows[d] + std::min(s.all, space));
  }
  return fullest;
}

void join_small_updates(TaskGraph& graph, const OffloadOptions& options,
                        const KernelCost& kernels) {
  if (!options.costs) return;
  join_updates(graph,
               {options.joined_updates, options.joined_places, options.costs->task, kernels});
}

DeviceBytes bytes_on_devices(const TaskGraph& graph, const PanelStructure& structure,
                             const OffloadOptions& options) {
  std::optional<DeviceLimit> limit;
  if (options.device_bytes < std::numeric_limits<Count>::max()) {
    const Index workers = (options.device_workers + options.devices - 1) / options.devices;
    limit = {options.device_bytes, workers};
  }
  return bytes_on_devices(graph, structure, options.devices, limit);
}

}  // namespace espalier::internal
