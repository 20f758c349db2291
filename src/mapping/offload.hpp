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

/// MDWIN: of the block columns that one panel updates, with these predicted seconds on the host and
/// on the devices, the first one that goes to the devices, so that the longer of both sides' sums
/// is as short as it can be. The first `kept` ones stay on the host. Sums differ by one block
/// column at most where neither side is done before it has all. Cost O(columns).
Index mdwin(std::span<const double> host, std::span<const double> devices, Index kept);

/// How updates are split between the host and devices.
struct OffloadOptions {
  HaloDivision division{};
  double load = 1;              ///< for mdwin, how often updates on the host count
  Index host_workers = 1;       ///< who share the host's part
  Index device_workers = 1;     ///< those of all devices together
  Index device_processors = 1;  ///< who share the rest: CUDA devices, workers of coprocessors
  Index devices = 1;            ///< how many memories they have
  Count device_bytes = std::numeric_limits<Count>::max();  ///< room for the shadows on each device
  /// What devices cost and the way to them; null for cores like the host's that share its memory.
  std::shared_ptr<const DeviceTable> costs{};
  std::string source{};  ///< what the report is told of where the costs are from
  /// Small updates that may be one task of a device, and how many rows and columns of the target it
  /// can be told with the task.
  Index joined_updates = 1;
  Count joined_places = 0;
};

/// What one of several ranks multiplies of the updates: of the one by block b those rows of
/// the source panel, from the block on.
class OwnUpdates {
 public:
  struct Rows {
    Index begin;
    Index end;
  };
  /// Blocks ascend: add() gives rows of the next one, end_block() ends it.
  void add(Rows rows) { rows_.push_back(rows); }
  void end_block() { begin_.push_back(static_cast<Count>(rows_.size())); }

  /// Whether all rows are meant: nothing was ever added.
  bool is_all() const { return begin_.size() == 1; }
  std::span<const Rows> of(Count block) const {
    return {rows_.data() + begin_[block], rows_.data() + begin_[block + 1]};
  }

 private:
  std::vector<Count> begin_{0};
  std::vector<Rows> rows_;
};

/// What the devices do: the updates by block b of a panel above the cut for all b >= first[panel]
/// whose facing panel has a shadow. They go into the shadow, and that is added to the panel before
/// it is factored. The panel that a panel updates first never gets that update from a device, so
/// that its shadow travels home meanwhile.
struct OffloadPlan {
  std::vector<Count> first;   ///< for each panel, n_phi as a position in PanelStructure::block
  std::vector<Index> device;  ///< for each panel, the device with its shadow, or -1
  OwnUpdates own{};           ///< what this rank runs at all
  double flops = 0;           ///< flops of the updates on devices
  double unlimited = 0;       ///< the same where the devices' memory has no limit
  double total = 0;           ///< flops of all updates from panels above the cut
  std::string source{};       ///< where the devices' costs are from, as the options say

  bool on_device(const PanelStructure& structure, Index panel, Count block) const {
    return block >= first[panel] && device[structure.block[block].facing] >= 0;
  }
};

/// Calls f(rows) for all that is multiplied of the update by block b of a panel.
template <class F>
void for_each_own(const PanelStructure& structure, const OwnUpdates& own, Index panel, Count b,
                  F f) {
  if (own.is_all()) {
    return f(OwnUpdates::Rows{structure.block[b].row_offset, structure.height(panel)});
  }
  for (const OwnUpdates::Rows& rows : own.of(b)) f(rows);
}

/// The rows of L that updates of a panel touch. Structure and updates outlive the object.
class UpdatedRows {
 public:
  UpdatedRows(const PanelStructure& structure, const OwnUpdates& own)
      : structure_(structure),
        own_(own),
        is_touched_(static_cast<std::size_t>(structure.n), false) {}

  /// Ascending: those of panel k for which takes(source, block) holds. Cost O(rows of k and of
  /// these updates).
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
  std::vector<char> is_touched_;  ///< by row of L
};

/// Shadows go to the panels with the most descendants as long as there is memory: for the rows that
/// devices may update. A panel's rows travel once. Cost O(blocks + panels log panels), with limited
/// memory O(rows of the blocks) as well.
OffloadPlan plan_offload(const PanelStructure& structure, const SubtreeCut& cut,
                         const KernelCost& host, const KernelCost& device,
                         const OffloadOptions& options, OwnUpdates own = {});

}  // namespace espalier::internal
