// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"

namespace espalier::internal {

/// Numbers of messages and bytes that one rank sends and receives.
struct Traffic {
  Count messages_sent = 0;
  Count messages_received = 0;
  Count bytes_sent = 0;
  Count bytes_received = 0;
  bool operator==(const Traffic&) const = default;
};

/// Returns the traffic of one factorization if each tile is a message, as in the paper, even if the
/// ranks exchange strips.
Traffic traffic_of(const TaskGraph& graph, const PanelStructure& structure);

/// Divides temporary data into groups and enters the bytes of each group in the message that
/// begins it. A group is normally either one contribution, or all received tiles or strips of one
/// panel.
///
/// Ranks cannot deadlock even if each rank allocates whole groups in the order of the messages, and
/// frees each group before it allocates the next one. A rank must allocate the contributions that
/// it makes separately from received groups. Proof: take the first unfinished message in the common
/// order of all ranks. This message waits only for earlier tasks and messages, for three reasons.
/// Contributions are made and received by ascending tile and rank. The contributions to a panel
/// arrive before its tiles. All these data of a panel are freed before those of the next panel
/// arrive. Shadows do not count: StarPU allocates them, so their writers wait only for tasks.
///
/// The same holds for strips. Their messages follow the order of their panels, and within a panel
/// that of their first tiles. So the strip with the diagonal block comes first, and the D and F of
/// another strip wait for no other strip of the panel.
///
/// In a fan-both or 3D map, updates by received tiles write contributions. They must not wait for
/// the memory of a contribution, because earlier contributions may wait for later tiles. So all
/// contributions that a rank makes form one group.
void set_group_bytes(TaskGraph& graph, const PartView& part);

/// Throws UsageError if a tile, strip or contribution is too large for an MPI message, whose size
/// must fit in an int.
void expect_messages_of_mpi(const TaskGraph& graph, const PanelStructure& structure);

/// Returns the bytes of the largest group of this kind, or 0 if there are none.
Count largest_group_bytes(const TaskGraph& graph, Message::Kind kind);

/// Returns the panel that has the first row of a tile.
Index row_panel_of(const PanelStructure& structure, const Tile& tile);

/// Returns the rank that owns a tile. This rank owns all tiles of its domain.
Index owner_of(const PartView& part, const Tile& tile);

/// Returns the rank that computes the updates of a tile by panel `source`: the rank whose domain
/// has the source, or else the rank that the computation map names.
Index updater_of(const PartView& part, Index source, const Tile& tile);

/// Returns the updates that one rank runs, see updater_of(). Same cost as build_factor_graph().
OwnUpdates own_updates(const PanelStructure& structure, const Ownership& ownership,
                       const Tiling& tiling);

/// The exchange of one rank with the others in a factorization, derived from the structure and its
/// map alone. It costs nothing for a sole rank.
class Exchange {
 public:
  /// Structure, ownership and tiling must outlive the object.
  Exchange(const PanelStructure& structure, const Ownership& ownership, const Tiling& tiling);

  bool is_shared(Index panel) const { return ownership_.is_shared(panel); }
  bool is_own(Index tile) const { return owner(tile) == rank(); }
  Index owner(Index tile) const { return tile < first_tile_ ? rank() : owner_[tile - first_tile_]; }
  Index rank() const { return ownership_.rank; }
  Index shared_begin() const { return ownership_.shared_begin; }
  /// Returns the rank that runs the tasks that read panel `source` (D and F: the panel itself) and
  /// write the tile. This rank runs all subtrees of its domain.
  Index updater(Index source, Index target) const;
  /// Returns whether this rank runs these tasks.
  bool participates(Index source, Index target) const { return updater(source, target) == rank(); }
  /// Returns whether this rank may write contributions with updates by panel `source`.
  bool contributes(Index source) const {
    return !is_shared(source) || ownership_.computes_elsewhere();
  }

  /// Adds the contributions from and to this rank to the graph, by ascending tile and rank. Cost
  /// O(rows that they sum up), times a logarithm.
  void find_contributions(TaskGraph& graph);
  /// Returns the contribution that this rank makes to a tile of another rank, or -1.
  Index outgoing(Index tile) const {
    return tile < first_tile_ ? -1 : outgoing_[tile - first_tile_];
  }
  /// Returns the contributions of other ranks to a tile of this rank: [begin, end).
  Task::Range incoming(Index tile) const {
    return tile < first_tile_ ? Task::Range{} : incoming_[tile - first_tile_];
  }

  /// Tags of a tile, and of a contribution to it; equal on all ranks.
  Index tag(Index tile) const { return 2 * (tile - first_tile_); }
  Index contribution_tag(Index tile) const { return tag(tile) + 1; }

 private:
  /// Rows that a rank updates, ascending. They come from one set of its updates.
  struct Updates {
    Index rank;    ///< or -1: the rank that computes the updates of each tile by `source`
    Index source;  ///< shared panel, or -1 for the subtrees of a domain
    std::span<const Index> rows;
  };
  std::vector<Updates> updates_of(Index panel) const;
  void add_updates_of_domains(Index panel, std::vector<Updates>& found) const;
  void add_updates_of_grid(Index panel, std::vector<Updates>& found) const;
  bool may_exchange(Index source, Index panel) const;
  std::vector<Updates> updates_of_tile(Index tile, std::span<const Updates> of_panel) const;
  void meet(TaskGraph& graph, Index tile, std::span<const Updates> updates);

  const PanelStructure& structure_;
  const Ownership& ownership_;
  const Tiling& tiling_;
  Index first_tile_;  ///< first tile of a shared panel
  // One value per tile, beginning with first_tile_:
  std::vector<Index> row_panel_;  ///< see row_panel_of()
  std::vector<Index> owner_;
  std::vector<Index> outgoing_;
  std::vector<Task::Range> incoming_;
};

}  // namespace espalier::internal
