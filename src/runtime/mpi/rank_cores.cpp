// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/rank_cores.hpp"

#include <algorithm>

namespace espalier::internal {

std::vector<unsigned> share_of(std::span<const unsigned> cores, Index rank, Index ranks) {
  const auto count = static_cast<Index>(cores.size());
  if (count == 0) return {};
  if (count < ranks) return {cores[rank % count]};
  const auto cut = [&](Index r) { return static_cast<Count>(count) * r / ranks; };
  return {cores.begin() + cut(rank), cores.begin() + cut(rank + 1)};
}

std::vector<SharedDevice> devices_in_turn(Index rank, Index ranks, Index wanted, Index there) {
  const Index count = std::min(wanted, there);
  std::vector<SharedDevice> devices;
  devices.reserve(static_cast<std::size_t>(count));
  for (Index k = 0; k < count; ++k) {
    const Index device = (rank * count + k) % there;
    const Index dealt = ranks * count;  // in turn
    devices.push_back({static_cast<unsigned>(device), (dealt - device + there - 1) / there});
  }
  return devices;
}

}  // namespace espalier::internal
