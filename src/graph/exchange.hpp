// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"

namespace espalier::internal {

/// How many messages and bytes one rank sends and receives.
struct Traffic {
  Count messages_sent = 0;
  Count messages_received = 0;
  Count bytes_sent = 0;
  Count bytes_received = 0;
  bool operator==(const Traffic&) const = default;
};

/// What one factorization sends and receives.
Traffic traffic_of(const TaskGraph& graph, const PanelStructure& structure);

/// Divides data that come and go into groups, the tiles received of one panel and each contribution
/// alone, and enters their room, the bytes of a whole group where it begins. A rank may give memory
/// to whole groups only, in the order of the messages, to what it makes and to what it receives
/// apart, and to no group before those before it are freed: no rank ever stands still. For the
/// first message of the order of all ranks that is not through waits for nothing but tasks and
/// messages before it: contributions are made and received by ascending tiles and ranks, those to a
/// panel before its tiles are received, and all of it is freed before the next panel's. Shadows
/// have no room: their memory is StarPU's, so that what writes them waits for nothing but tasks.
void enter_room(TaskGraph& graph, const PanelStructure& structure);

/// Throws UsageError if data that are sent or received have more bytes than an MPI message, which
/// counts in int.
void expect_messages_of_mpi(const TaskGraph& graph, const PanelStructure& structure);

/// The largest group of the kind, 0 where there is none.
Count largest_room(const TaskGraph& graph, Message::Kind kind);

/// The rank that owns a tile; this rank owns all tiles of its domain.
Index owner_of(const PartView& part, const Tile& tile);

/// What one rank multiplies: all updates by panels of its domain, and of those by shared panels
/// what falls into its own tiles. Cost as build_factor_graph().
OwnUpdates own_updates(const PanelStructure& structure, const Ownership& ownership,
                       const Tiling& tiling);

/// What one rank has to do with the others in a factorization, from the structure alone. A sole
/// rank has nothing to do with others, at no cost.
class Exchange {
 public:
  /// Structure, ownership and tiling outlive the object.
  Exchange(const PanelStructure& structure, const Ownership& ownership, const Tiling& tiling);

  bool is_shared(Index panel) const { return ownership_.is_shared(panel); }
  bool is_own(Index tile) const { return owner(tile) == rank(); }
  Index owner(Index tile) const { return tile < first_tile_ ? rank() : owner_[tile - first_tile_]; }
  Index rank() const { return ownership_.rank; }
  Index shared_begin() const { return ownership_.shared_begin; }
  /// Whether this rank runs a task that reads `source` (the panel itself in D and F) and writes the
  /// tile: a panel of its domain is read where it is, a shared one where the target is. Subtrees
  /// are of the domain.
  bool participates(Index source, Index target) const {
    return !is_shared(source) || is_own(target);
  }

  /// Enters the contributions of this rank, and those to it, by ascending tile and rank.
  void find_contributions(TaskGraph& graph);
  /// The contribution that this rank makes to a tile of another one instead of writing it, or -1.
  Index outgoing(Index tile) const {
    return tile < first_tile_ ? -1 : outgoing_[tile - first_tile_];
  }
  /// Contributions of others to a tile of this one: [begin, end).
  Task::Range incoming(Index tile) const {
    return tile < first_tile_ ? Task::Range{} : incoming_[tile - first_tile_];
  }

  /// Tags of a tile, and of a contribution to it; alike on all ranks.
  Index tag(Index tile) const { return 2 * (tile - first_tile_); }
  Index contribution_tag(Index tile) const { return tag(tile) + 1; }

 private:
  void meet(TaskGraph& graph, Index tile);

  const PanelStructure& structure_;
  const Ownership& ownership_;
  const Tiling& tiling_;
  Index first_tile_;  ///< the first one of a shared panel
  // For each tile from that one on:
  std::vector<Index> owner_;
  std::vector<Index> outgoing_;
  std::vector<Task::Range> incoming_;
};

}  // namespace espalier::internal
