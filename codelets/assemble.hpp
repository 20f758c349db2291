// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// A(r,t): target tile += its part of a contribution block, a PackedTriangle.
/// Data: the target; the contribution block.
struct AssembleTask : Arguments {
  LazyTile* tile = nullptr;
  std::span<const Index> target_rows{};  ///< rows of L in the target tile
  Index target_column = 0;               ///< its first column
  std::span<const Index> rows{};         ///< rows of L in the contribution, those of the tile
  std::span<const Index> columns{};      ///< columns of L in the contribution, those of the tile
  Index first_row = 0;                   ///< where `rows` begin in the contribution
  Index first_column = 0;                ///< where `columns` begin in it
  Index order = 0;                       ///< of the contribution

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
