// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// A CPU worker, and the cores that share a cache or a memory with its own, by any number that
/// tells these domains from each other.
struct WorkerPlace {
  int worker;
  Index domain;
};

/// Divides workers as swCholesky's processor is divided into core groups (section 1): into one
/// group a domain where `groups` is 0, else into so many of nearly equal size, neighbours together,
/// and into no more than there are workers. No group is empty.
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
