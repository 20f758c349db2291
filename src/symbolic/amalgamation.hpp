// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/options.hpp"
#include "matrix/permutation.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier {

/// Larger supernodes, in postorder again, and the renumbering of vertices that makes theirs
/// adjacent.
struct Amalgamation {
  Supernodes supernodes;
  Permutation renumbering;
};

/// Merges children into their parents, from the leaves up, as long as a rule of the options allows
/// the explicit zeros; any child may merge, those that add the fewest zeros are tried first.
/// A merged supernode has the rows of the parent and the columns of both, so no rows are needed to
/// count zeros. Cost O(n + s log s) for s supernodes.
/// Ashcraft and Grimes, "The influence of relaxed supernode partitions on the multifrontal method",
/// 1989.
Amalgamation amalgamate(const Supernodes& supernodes, const AmalgamationOptions& options);

}  // namespace espalier
