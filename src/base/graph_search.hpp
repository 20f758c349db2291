// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Returns the CPU time that a core of this machine needs for a fixed computation with the same
/// irregular accesses to memory as an analysis, in seconds: breadth-first searches of a grid of 64
/// x 64 x 64 vertices in scattered order. Its ratio on two machines is about the ratio of the times
/// of an analysis. It is the minimum of some searches, because other programs can only slow them
/// down. Cost: 0.1 to 0.2 s.
double graph_search_seconds();

}  // namespace espalier::internal
