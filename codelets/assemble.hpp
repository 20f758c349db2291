// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// A(r,t): the contribution of a group of subtrees to a target tile: all updates from panels of the
/// group. Data: the target; the values of the group's panels.
struct AssembleTask : Arguments {
  LazyTile* tile = nullptr;
  Index panel = 0;                       ///< of the target
  std::span<const Index> target_rows{};  ///< rows of L in the target tile
  Index panel_begin = 0;                 ///< the group
  Index panel_end = 0;

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
