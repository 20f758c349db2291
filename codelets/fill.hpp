// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// Sets a tile to the entries of A before any task writes it, as accelerators, which may be the
/// first to do so, do not have A; or a shadow to zero. Data: that.
struct FillTask : Arguments {
  LazyTile* tile = nullptr;

  void run(TaskData data, Worker& /*worker*/) const { tile->fill_once(*context, data[0]); }
};

}  // namespace espalier
