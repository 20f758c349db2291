// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// R(t,q): target tile += a contribution, which has all columns of the tile and some of its rows.
/// Data: the target; the contribution.
struct ReduceTask : Arguments {
  LazyTile* tile = nullptr;
  std::span<const Index> target_rows{};  ///< rows of L in the target tile
  std::span<const Index> rows{};         ///< rows of L in the contribution, some of these

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
