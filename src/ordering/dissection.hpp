// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>

#include "ordering/compression.hpp"

namespace espalier {

/// Nested dissection (George, "Nested dissection of a regular finite element mesh", SIAM J. Numer.
/// Anal. 10, 1973) by multilevel vertex separators, down to parts of a few hundred vertices, which
/// minimum degree with halo orders. `threads` threads share the parts; the result is the same for
/// any number of them, and on every call. Returns an ordering of the merged vertices. Throws
/// UsageError for a graph with 2^31 neighbours or more.
Permutation dissection_ordering(const CompressedGraph& compressed, Index threads);

/// The same, if `worthwhile` says so: it is called once, before the first separator where there is
/// one thread, else beside it; nothing is returned where it denies.
std::optional<Permutation> dissection_ordering_if(const CompressedGraph& compressed, Index threads,
                                                  const std::function<bool()>& worthwhile);

/// Whether dissection can count this many neighbours.
bool dissection_accepts(Count neighbours);

}  // namespace espalier
