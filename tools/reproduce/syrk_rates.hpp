// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reproduce/paper.hpp"

namespace espalier::internal {

/// Makes swCholesky's figure 9: SYRK by several threads of this machine, side by side and together.
/// Takes some milliseconds per round, more for large orders. Memory O(workers n^2) for order n.
Figure small_syrk(Bench& bench);

}  // namespace espalier::internal
