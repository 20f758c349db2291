// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/subtree_groups.hpp"

#include <algorithm>

namespace espalier {

SubtreeGroups group_subtrees(std::span<const Index> parent, std::span<const Index> work,
                             Index workers) {
  constexpr Count groups_a_worker = 2;
  constexpr Count least_work = 50'000;  // in a group; below, starting a thread costs more
  const auto n = static_cast<Index>(parent.size());
  SubtreeGroups groups{{0, n}, std::vector<char>(n, 0), {}};
  if (workers <= 1) return groups;
  std::vector<Count> subtree(work.begin(), work.end());
  Count total = 0;
  for (Index v = 0; v < n; ++v) {
    total += work[v];
    if (parent[v] != -1) subtree[parent[v]] += subtree[v];
  }
  const Count limit = std::max(total / (groups_a_worker * workers), least_work);
  groups.border = {0};
  Count open = 0;  // work of the group that is not closed yet
  for (Index v = 0; v < n; ++v) {
    if (subtree[v] > limit) {
      groups.in_top[v] = 1;
      groups.top.push_back(v);
    } else if (parent[v] == -1 || subtree[parent[v]] > limit) {
      open += subtree[v];
      if (2 * open <= limit) continue;
      groups.border.push_back(v + 1);
      open = 0;
    }
  }
  if (groups.border.back() < n) groups.border.push_back(n);
  return groups;
}

}  // namespace espalier
