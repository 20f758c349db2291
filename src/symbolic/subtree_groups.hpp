// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// A postordered forest cut into parts for threads: groups of whole subtrees, and above them the
/// top. Group g is all of [border[g], border[g+1]) that is not in the top. What one vertex of a
/// group needs of others below it is in the same group.
struct SubtreeGroups {
  std::vector<Index> border;
  std::vector<char> in_top;  ///< of every vertex
  std::vector<Index> top;    ///< ascending

  Index count() const { return static_cast<Index>(border.size()) - 1; }

  template <typename Visit>
  void for_each_in(Index group, Visit visit) const {
    for (Index v = border[group]; v < border[group + 1]; ++v) {
      if (!in_top[v]) visit(v);
    }
  }
};

/// The top is the vertices whose subtrees take more than half of a worker's share of the work;
/// one worker, or little work, makes one group of all. `work` is of every vertex alone. Cost O(n).
SubtreeGroups group_subtrees(std::span<const Index> parent, std::span<const Index> work,
                             Index workers);

}  // namespace espalier
