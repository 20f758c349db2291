// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/mpi/rank_cores.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace espalier::internal {

std::vector<unsigned> share_of(std::span<const unsigned> cores, Index rank, Index ranks) {
  const auto count = static_cast<Index>(cores.size());
  if (count == 0) return {};
  if (count < ranks) return {cores[rank % count]};
  const auto cut = [&](Index r) { return static_cast<Count>(count) * r / ranks; };
  return {cores.begin() + cut(rank), cores.begin() + cut(rank + 1)};
}

namespace {

/// Chooses up to `wanted` devices that the fewest ranks use, from the devices that a rank sees, and
/// counts this rank among their users. Returns their numbers.
std::vector<std::size_t> take_least_used(const SeenDevices& seen, Index wanted,
                                         std::map<cuda::DeviceIdentity, Index>& ranks_of) {
  std::vector<std::size_t> order(seen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t device) { return ranks_of[seen[device]]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(wanted)));
  for (const std::size_t device : order) ++ranks_of[seen[device]];
  return order;
}

}  // namespace

std::vector<SharedDevice> devices_in_turn(Index rank, std::span<const SeenDevices> seen,
                                          Index wanted) {
  std::map<cuda::DeviceIdentity, Index> ranks_of;
  std::vector<std::size_t> own;
  for (Index r = 0; r < std::ssize(seen); ++r) {
    std::vector<std::size_t> taken = take_least_used(seen[r], wanted, ranks_of);
    if (r == rank) own = std::move(taken);
  }
  std::vector<SharedDevice> devices;
  devices.reserve(own.size());
  for (const std::size_t device : own) {
    devices.push_back({static_cast<unsigned>(device), ranks_of[seen[rank][device]]});
  }
  return devices;
}

}  // namespace espalier::internal
