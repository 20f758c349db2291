// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// A CPU worker and its domain: a number for the cores that share a cache or a memory with its own.
struct WorkerPlace {
  int worker;
  Index domain;
};

/// Divides workers into groups like the core groups of swCholesky's processor (section 1). If
/// `groups` is 0, each domain is a group. Else makes at most `groups` groups of nearly equal size,
/// but not more than there are workers; neighbours stay together. No group is empty.
inline std::vector<std::vector<int>> groups_of(std::vector<WorkerPlace> workers, Index groups) {
  std::sort(workers.begin(), workers.end(), [](const WorkerPlace& a, const WorkerPlace& b) {
    return std::tie(a.domain, a.worker) < std::tie(b.domain, b.worker);
  });
  const auto count = static_cast<Count>(workers.size());
  const Count wanted = std::min<Count>(groups, count);
  const auto begins_group = [&](Count i) {
    if (i == 0) return true;
    if (wanted == 0) return workers[i].domain != workers[i - 1].domain;
    return i * wanted / count != (i - 1) * wanted / count;
  };
  std::vector<std::vector<int>> divided;
  for (Count i = 0; i < count; ++i) {
    if (begins_group(i)) divided.emplace_back();
    divided.back().push_back(workers[i].worker);
  }
  return divided;
}

}  // namespace espalier::internal
