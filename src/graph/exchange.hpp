// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"

namespace espalier {

/// Messages and bytes of one rank.
struct Traffic {
  Count messages_sent = 0;
  Count messages_received = 0;
  Count bytes_sent = 0;
  Count bytes_received = 0;
  bool operator==(const Traffic&) const = default;
};

/// What one factorization sends and receives.
Traffic traffic_of(const TaskGraph& graph, const LocalStructure& structure);

/// Divides data that come and go into groups, the tiles received of one panel and each contribution
/// alone, and enters their room, the bytes of a whole group where it begins. A rank may give memory
/// to whole groups only, in the order of the messages, to what it makes and to what it receives
/// apart, and to no group before those before it are freed: no rank ever stands still. For the
/// first message of the order of all ranks that is not through waits for nothing but tasks and
/// messages before it: contributions are made and received by ascending tiles and ranks, those to a
/// panel before its tiles are received, and all of it is freed before the next panel's. Shadows
/// have no room: their memory is StarPU's, so that what writes them waits for nothing but tasks.
void enter_room(TaskGraph& graph, const LocalStructure& structure);

/// The largest group of the kind, 0 where there is none.
Count largest_room(const TaskGraph& graph, Message::Kind kind);

/// The rank that owns a tile: of a domain panel this rank.
Index owner_of(const LocalStructure& structure, const Tile& tile);

/// Whether this rank runs a task that reads `source` (the panel itself in D and F) and writes the
/// tile: a panel of its domain is read where it is, a shared one where the target is. Subtrees are
/// of the domain.
inline bool participates(const LocalStructure& structure, Index source, const Tile& target) {
  return source < structure.shared_begin || owner_of(structure, target) == structure.rank;
}

/// What one rank multiplies: of updates by panels of its domain all, of those by shared panels what
/// falls into its own tiles. Cost as build_rank_graph().
OwnUpdates own_updates(const LocalStructure& structure, const Tiling& tiling);

/// What one rank has to do with the others in a factorization, from the structure alone.
class Exchange {
 public:
  Exchange(const LocalStructure& structure, const Tiling& tiling);

  bool is_shared(Index panel) const { return panel >= structure_.shared_begin; }
  bool is_own(Index tile) const { return owner_[tile] == structure_.rank; }
  Index owner(Index tile) const { return owner_[tile]; }
  Index rank() const { return structure_.rank; }

  /// Enters the contributions of this rank, and those to it, by ascending tile and rank.
  void find_contributions(TaskGraph& graph);
  /// The contribution of this rank to a tile of another one.
  Index outgoing(Index tile) const { return outgoing_[tile]; }
  /// Contributions of others to a tile of this one: [begin, end).
  Task::Range incoming(Index tile) const { return incoming_[tile]; }

  /// Tags of a tile, and of a contribution to it; alike on all ranks.
  Index tag(Index tile) const { return 2 * (tile - first_tile_); }
  Index contribution_tag(Index tile) const { return tag(tile) + 1; }

 private:
  void meet(TaskGraph& graph, Index tile);

  const LocalStructure& structure_;
  const Tiling& tiling_;
  Index first_tile_;             ///< of the shared panels
  std::vector<Index> owner_;     ///< of each tile
  std::vector<Index> outgoing_;  ///< of each tile, or -1
  std::vector<Task::Range> incoming_;
};

}  // namespace espalier
