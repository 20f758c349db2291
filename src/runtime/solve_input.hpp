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

/// Directions of L Lᵀ x = b that are solved.
enum class SolvePart : std::uint8_t {
  both,
  forward,   ///< L x = b
  backward,  ///< Lᵀ x = b
};

/// Data of the factor that the tasks of a solve use. It must outlive the tasks.
struct SolveInput {
  const PanelStructure& structure;
  const SolveTree& tree;
  const KernelCost& cost;
  FactorContext& context;
  const double* values;                  ///< entries of L outside the shared panels
  const Index* old_of;                   ///< index in A of each column of L
  const SharedSolve* shared = nullptr;   ///< null on one rank
  std::span<const DataView> tiles = {};  ///< tiles of the shared panels, or those of `tiling`
  /// Tiling of L if accelerators may solve with its tiles, else null. The tiles are also data of
  /// the tasks of the factorization.
  const Tiling* tiling = nullptr;
  /// Predicted times of steps on a device; may be null.
  const DeviceSeconds* device = nullptr;
  SolvePart part = SolvePart::both;  ///< `both` if there are several ranks

  /// Adds to a shape the data that policies use to decide whether a device runs the step: the
  /// triangle, if the step has one, and the predicted time on the device.
  void offer_to_devices(Shape& shape, bool has_triangle) const;
  /// Returns the shape of a StoreTask or LoadTask of `rows` rows and `columns` vectors.
  Shape shape_of_copy(TaskKind kind, Index rows, Index columns) const;
};

/// Description of a tile of a divided supernode for the tasks of the triangular solves: the data of
/// the tasks, and the message of a SolveTileTask. The panel of the tile must have tiles in the
/// factor.
class TileWords {
 public:
  TileWords(const SolveInput& input, const SolveTree::Tile& tile);

  const MessageWriter& words() const { return words_; }
  bool has_triangle() const { return has_triangle_; }
  /// Returns the accesses of a task on this tile. The task accesses the vectors at the columns of
  /// the tile with the mode `columns`, and those at other rows with the mode `others`. The tiles of
  /// L are data from `first_tile` on.
  std::vector<Access> accesses(AccessMode columns, AccessMode others, Index first_tile) const;

 private:
  /// Returns the position of a tile among the data of the task, and adds the tile if it is new.
  /// Tiles of the panel must come in ascending order.
  Index position_of(Index tile);

  Index own_;
  bool has_triangle_;
  std::vector<Index> segment_;  ///< segments of the node that the task uses, except its own
  std::vector<Index> tile_;     ///< tiles of L that the task uses
  MessageWriter words_;
};

}  // namespace espalier::internal
