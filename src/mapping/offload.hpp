// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/subtrees.hpp"

namespace espalier {

/// MDWIN: of the block columns that one panel updates, with these predicted seconds on the host and
/// on the devices, the first one that goes to the devices, so that the longer of both sides' sums
/// is as short as it can be. The first `kept` ones stay on the host. Sums differ by one block
/// column at most where neither side is done before it has all. Cost O(columns).
Index mdwin(std::span<const double> host, std::span<const double> devices, Index kept);

/// How updates are split between the host and devices. The names are HALO's (Sao, Liu, Vuduc, Li:
/// A sparse direct solver for distributed memory Xeon Phi-accelerated systems, IPDPS 2015).
struct OffloadOptions {
  enum class Split {
    mdwin,    ///< by predicted times
    static0,  ///< a fixed share of the columns that each panel updates
    static1   ///< the same, but no updates that are small
  };
  Split split = Split::mdwin;
  double share = 0.5;        ///< of the columns, for the static ones
  Index host_workers = 1;    ///< who share the host's part
  Index device_workers = 1;  ///< who share the rest, those of all devices together
  Index devices = 1;         ///< with memories of their own
  Count device_bytes = std::numeric_limits<Count>::max();  ///< for the shadows on each device
  double seconds_a_byte = 0;                               ///< on its way to a device
};

/// What the devices do: the updates by block b of a panel above the cut for all b >= first[panel]
/// whose facing panel has a shadow. They go into the shadow, and that is added to the panel before
/// it is factored. The panel that a panel updates first never gets that update from a device, so
/// that its shadow travels home meanwhile.
struct OffloadPlan {
  std::vector<Count> first;   ///< for each panel, n_phi as a position in PanelStructure::block
  std::vector<Index> device;  ///< for each panel, the device with its shadow, or -1
  double flops = 0;           ///< of the updates on devices
  double unlimited = 0;       ///< the same where the devices' memory has no limit
  double total = 0;           ///< of all updates from panels above the cut

  bool on_device(const PanelStructure& structure, Index panel, Count block) const {
    return block >= first[panel] && device[structure.block[block].facing] >= 0;
  }
};

/// Shadows go to the panels with the most descendants as long as there is memory. A panel's rows
/// travel once. Cost O(blocks + panels log panels).
OffloadPlan plan_offload(const PanelStructure& structure, const SubtreeCut& cut,
                         const KernelCost& host, const KernelCost& device,
                         const OffloadOptions& options);

}  // namespace espalier
