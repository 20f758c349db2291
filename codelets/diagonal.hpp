// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// D(j): POTRF of the diagonal block on top of a tile. Data: the tile.
struct DiagonalTask : Arguments {
  LazyTile* tile = nullptr;
  Index first_column = 0;

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
