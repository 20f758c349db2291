// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"

namespace espalier {

/// Sets a tile to the entries of A before any task writes it, as accelerators, which may be the
/// first to do so, do not have A; or a shadow to zero. Data: that.
struct FillTask : Arguments {
  LazyTile* tile = nullptr;

  void run(TaskData data, Worker& /*worker*/) const { tile->fill_once(*context, data[0]); }
};

/// D(j): POTRF of the diagonal block on top of a tile. Data: the tile.
struct DiagonalTask : Arguments {
  LazyTile* tile = nullptr;
  Index first_column = 0;

  void run(TaskData data, Worker& worker) const;
};

/// F(t,j): the rows of a tile below the diagonal block, times L(j,j)⁻ᵀ.
/// Data: the tile; then the tile with the diagonal block where that is another one.
struct FactorTask : Arguments {
  LazyTile* tile = nullptr;
  Index skipped = 0;  ///< rows on top of the tile that belong to the diagonal block

  void run(TaskData data, Worker& worker) const;
};

/// S(r): all D, F and U inside a group of whole subtrees, left-looking. Data: the values of the
/// group's panels.
struct SubtreeTask : Arguments {
  Index panel_begin = 0;
  Index panel_end = 0;

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
