// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// F(t,j): the rows of a tile below the diagonal block, times L(j,j)⁻ᵀ.
/// Data: the tile; then the tile with the diagonal block where that is another one.
struct FactorTask : Arguments {
  LazyTile* tile = nullptr;
  Index skipped = 0;  ///< rows on top of the tile that belong to the diagonal block

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
