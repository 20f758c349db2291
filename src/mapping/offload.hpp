// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cost_table.hpp"
#include "base/halo_division.hpp"
#include "base/panel_structure.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// MDWIN for the block columns that one panel updates, with their predicted seconds on the host and
/// on the devices. Returns the first block column of the devices, chosen so that the longer of the
/// two sums is as short as possible. The first `kept` block columns stay on the host. Unless one
/// sum is always the shorter one, the sums differ by at most one block column. Cost O(columns).
Index mdwin(std::span<const double> host, std::span<const double> devices, Index kept);

/// Options of the division of updates between the host and devices.
struct OffloadOptions {
  HaloDivision division{};
  double load = 1;           ///< factor on the host's update times, for mdwin
  Index host_workers = 1;    ///< workers that share the host's part
  Index device_workers = 1;  ///< workers of all devices together
  /// CUDA devices and workers of coprocessors, which share the devices' part.
  Index device_processors = 1;
  Index devices = 1;  ///< number of device memories
  /// Memory for the shadows on each device, in bytes.
  Count device_bytes = std::numeric_limits<Count>::max();
  /// Costs of the devices and of the links to them; null for cores like the host's that share its
  /// memory.
  std::shared_ptr<const DeviceTable> costs{};
  std::string source{};  ///< source of the costs, for the report
  /// Maximum number of small updates that one task of a device joins, and maximum number of row and
  /// column positions in its message.
  Index joined_updates = 1;
  Count joined_places = 0;
};

/// The updates that one of several ranks runs. For the update by block b, they are ranges of rows
/// of the source panel, from the block on.
class OwnUpdates {
 public:
  struct Rows {
    Index begin;
    Index end;
  };
  /// Fills the list by ascending blocks: add() adds rows to the current block, end_block() goes to
  /// the next block.
  void add(Rows rows) { rows_.push_back(rows); }
  void end_block() { begin_.push_back(static_cast<Count>(rows_.size())); }

  /// Returns whether the rank runs all updates, because nothing was added.
  bool is_all() const { return begin_.size() == 1; }
  std::span<const Rows> of(Count block) const {
    return {rows_.data() + begin_[block], rows_.data() + begin_[block + 1]};
  }

 private:
  std::vector<Count> begin_{0};
  std::vector<Rows> rows_;
};

/// The updates that devices run: the update by block b of a panel above the cut if b >=
/// first[panel] and the panel that b faces has a shadow. Devices write these updates to the shadow,
/// which is added to the panel before the panel is factored. The update by the first off-diagonal
/// block of a panel never runs on a device, so that the shadow of the updated panel can be copied
/// to the host in the meantime.
struct OffloadPlan {
  /// For each panel, HALO's n_phi: the first block of the devices, in PanelStructure::block.
  std::vector<Count> first;
  std::vector<Index> device;  ///< for each panel, the device with its shadow, or -1
  OwnUpdates own{};           ///< updates that this rank runs, on host and devices
  double flops = 0;           ///< flops of the updates on devices
  double unlimited = 0;       ///< the same without a limit on the devices' memory
  double total = 0;           ///< flops of all updates from panels above the cut
  std::string source{};       ///< source of the devices' costs, from the options

  bool on_device(const PanelStructure& structure, Index panel, Count block) const {
    return block >= first[panel] && device[structure.block[block].facing] >= 0;
  }
};

/// Calls f(rows) for each range of rows that the rank multiplies in the update by block b of a
/// panel.
template <class F>
void for_each_own(const PanelStructure& structure, const OwnUpdates& own, Index panel, Count b,
                  F f) {
  if (own.is_all()) {
    return f(OwnUpdates::Rows{structure.block[b].row_offset, structure.height(panel)});
  }
  for (const OwnUpdates::Rows& rows : own.of(b)) f(rows);
}

/// Finds the rows of L that updates of a panel touch. Structure and updates must outlive the
/// object.
class UpdatedRows {
 public:
  UpdatedRows(const PanelStructure& structure, const OwnUpdates& own)
      : structure_(structure),
        own_(own),
        is_touched_(static_cast<std::size_t>(structure.n), false) {}

  /// Returns the rows of panel k, ascending, that an update touches for which takes(source, block)
  /// is true. Cost O(rows of k and of these updates).
  template <class Takes>
  std::vector<Index> of(Index k, Takes takes) {
    for (Count f = structure_.facing_begin[k]; f < structure_.facing_begin[k + 1]; ++f) {
      const Index source = structure_.facing_source[f];
      const Count block = structure_.facing_block[f];
      if (!takes(source, block)) continue;
      for_each_own(structure_, own_, source, block, [&](const OwnUpdates::Rows& part) {
        const auto rows = structure_.rows(source).subspan(part.begin, part.end - part.begin);
        for (const Index row : rows) is_touched_[row] = true;
      });
    }
    std::vector<Index> touched;
    for (const Index row : structure_.rows(k)) {
      if (is_touched_[row]) touched.push_back(row);
      is_touched_[row] = false;
    }
    return touched;
  }

 private:
  const PanelStructure& structure_;
  const OwnUpdates& own_;
  std::vector<char> is_touched_;  ///< one value per row of L
};

/// Returns the division of the updates. Shadows go to the panels with the most descendants as long
/// as device memory has space for the rows that devices may update. MDWIN assumes that the rows of
/// each source panel are copied to the devices once. Cost O(blocks + panels log panels), and O(rows
/// of the blocks) more if memory is limited.
OffloadPlan plan_offload(const PanelStructure& structure, const SubtreeCut& cut,
                         const KernelCost& host, const KernelCost& device,
                         const OffloadOptions& options, OwnUpdates own = {});

}  // namespace espalier::internal
