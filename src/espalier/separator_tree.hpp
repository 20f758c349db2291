// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// Part of a separator tree: the columns of a separator, or of a leaf, which has no separator. The
/// columns have consecutive positions in the order of the tree.
struct TreePart {
  /// Number of the part whose columns separate this part from others, or -1 at the root. It is
  /// larger than the number of this part.
  Index parent = -1;
  Index first = 0;  ///< position of the first column
  Index end = 0;    ///< position behind the last column

  /// Returns whether all members are equal.
  bool operator==(const TreePart&) const = default;
};

/// Fill-reducing order of the columns with its separator tree (George, "Nested dissection of a
/// regular finite element mesh", SIAM J. Numer. Anal. 10, 1973). An entry of A joins two columns
/// only if their parts are equal or one is an ancestor of the other.
struct SeparatorTree {
  /// Column of A at each position. Analysis::permutation() differs from it, because the symbolic
  /// factorization changes the order without more fill.
  std::vector<Index> column;
  /// Parts in postorder: the descendants of a part directly precede it. The last part is the root.
  /// There is one part if the method of the ordering does not dissect, and none if
  /// indistinguishable columns were not merged (orderings "natural" and files without parts).
  std::vector<TreePart> part;
};

}  // namespace espalier
