// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier {

/// S(r): all D, F and U inside a group of whole subtrees, left-looking. Data: the values of the
/// group's panels.
struct SubtreeTask : Arguments {
  Index panel_begin = 0;
  Index panel_end = 0;

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier
