// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codelets/context.hpp"
#include "codelets/task_list.hpp"
#include "codelets/tasks/solve_tile.hpp"
#include "graph/shared_solve.hpp"
#include "graph/solve_tree.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/tiling.hpp"
#include "plan/device_seconds.hpp"

namespace espalier::internal {

/// What of L Lᵀ x = b is solved.
enum class SolvePart : std::uint8_t {
  both,
  forward,   ///< L x = b
  backward,  ///< Lᵀ x = b
};

/// What the tasks of a solve need of the factor; it lives as long as they do.
struct SolveInput {
  const PanelStructure& structure;
  const SolveTree& tree;
  const KernelCost& cost;
  FactorContext& context;
  const double* values;                  ///< L, but for shared panels
  const Index* old_of;                   ///< numbering of L to numbering of A
  const SharedSolve* shared = nullptr;   ///< null on one rank
  std::span<const DataView> tiles = {};  ///< tiles of the shared panels, or those of `tiling`
  /// The tiling of L, where accelerators may solve with its tiles, which are data of the factor's
  /// tasks, too.
  const Tiling* tiling = nullptr;
  const DeviceSeconds* device = nullptr;  ///< what steps are predicted to take there; may be null
  SolvePart part = SolvePart::both;       ///< all of it on several ranks

  /// Adds to the shape of a step with rows of a panel, with its triangle on top or none of it, what
  /// policies may know of it that give it to a device.
  void offer_to_devices(Shape& shape, bool has_triangle) const;
  /// Returns the shape of a StoreTask or LoadTask of so many rows and vectors.
  Shape shape_of_copy(TaskKind kind, Index rows, Index columns) const;
};

/// A tile of a cut supernode as its tasks in the triangular solves name it: by the data they access
/// and the message of a SolveTileTask. Its panel has tiles in the factor.
class TileWords {
 public:
  TileWords(const SolveInput& input, const SolveTree::Tile& tile);

  const MessageWriter& words() const { return words_; }
  bool has_triangle() const { return has_triangle_; }
  /// Returns the accesses of a task that uses the vectors at the tile's columns in the one way and
  /// those at other rows in the other; the tiles of L are data from `first_tile` on.
  std::vector<Access> accesses(AccessMode columns, AccessMode others, Index first_tile) const;

 private:
  /// Returns the position of a tile among the data of the task, where a tile of the panel comes
  /// after those named before it.
  Index position_of(Index tile);

  Index own_;
  bool has_triangle_;
  std::vector<Index> segment_;  ///< the segments of a front that it names beside its own
  std::vector<Index> tile_;     ///< the tiles of L that it names
  MessageWriter words_;
};

}  // namespace espalier::internal
