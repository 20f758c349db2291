// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// S(r): all D, F and U inside a group of whole subtrees, left-looking, then its contribution
/// block: the sum of all updates to rows outside. Data: the values of the group's panels; where
/// there are rows outside, the contribution block, a PackedTriangle.
struct SubtreeTask : Arguments {
  Index panel_begin = 0;
  Index panel_end = 0;
  std::span<const Index> external_rows{};

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
