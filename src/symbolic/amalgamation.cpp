// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/amalgamation.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "espalier/types.hpp"
#include "symbolic/etree.hpp"

namespace espalier {
namespace {

/// A supernode as it grows.
struct Candidate {
  Count width;
  Count height;
  Count zeros;  ///< explicit zeros in its trapezoid
};

Candidate merged(const Candidate& child, const Candidate& parent) {
  const Count below_child = child.height - child.width;
  return {child.width + parent.width, child.width + parent.height,
          child.zeros + parent.zeros + child.width * (parent.height - below_child)};
}

bool allowed(const Candidate& candidate, const AmalgamationOptions& options) {
  const Count trapezoid =
      candidate.width * candidate.height - candidate.width * (candidate.width - 1) / 2;
  for (std::size_t i = 0; i < options.widths.size(); ++i) {
    if (candidate.width <= options.widths[i] &&
        static_cast<double>(candidate.zeros) <= options.zeros[i] * static_cast<double>(trapezoid)) {
      return true;
    }
  }
  return false;
}

/// Children of every supernode: child[begin[p] .. begin[p+1]).
struct Children {
  std::vector<Index> begin;
  std::vector<Index> child;
};

Children children_of(std::span<const Index> parent) {
  const std::size_t n = parent.size();
  Children result{std::vector<Index>(n + 1, 0), {}};
  for (const Index p : parent) {
    if (p != -1) ++result.begin[p];
  }
  std::inclusive_scan(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.child.resize(result.begin.back());
  for (std::size_t c = n; c-- > 0;) {
    if (parent[c] != -1) result.child[--result.begin[parent[c]]] = static_cast<Index>(c);
  }
  return result;
}

/// The supernode that each one merges into, itself where it stays.
std::vector<Index> merge_targets(const Supernodes& supernodes, const AmalgamationOptions& options) {
  std::vector<Candidate> candidate(supernodes.count());
  std::vector<Index> target(supernodes.count());
  Children children = children_of(supernodes.parent);
  for (Index p = 0; p < supernodes.count(); ++p) {
    target[p] = p;
    candidate[p] = {supernodes.width(p), supernodes.height[p], 0};
    const std::span<Index> siblings(children.child.data() + children.begin[p],
                                    children.child.data() + children.begin[p + 1]);
    std::sort(siblings.begin(), siblings.end(), [&](Index a, Index b) {
      return std::pair(merged(candidate[a], candidate[p]).zeros, a) <
             std::pair(merged(candidate[b], candidate[p]).zeros, b);
    });
    for (const Index c : siblings) {
      const Candidate both = merged(candidate[c], candidate[p]);
      if (!allowed(both, options)) continue;
      candidate[p] = both;
      target[c] = p;
    }
  }
  for (Index s = supernodes.count(); s-- > 0;) target[s] = target[target[s]];
  return target;
}

/// Supernodes that stay, in postorder: what is left of the tree.
struct Groups {
  std::vector<Index> of;      ///< the group of every supernode
  std::vector<Index> root;    ///< the supernode that the others of a group merged into
  std::vector<Index> parent;  ///< of a group, -1 at a root
};

Groups postordered_groups(const Supernodes& supernodes, const std::vector<Index>& target) {
  std::vector<Index> kept;
  std::vector<Index> position(target.size());  // in `kept`
  std::vector<Index> forest;
  for (Index s = 0; s < supernodes.count(); ++s) {
    position[s] = static_cast<Index>(kept.size());
    if (target[s] == s) kept.push_back(s);
  }
  for (const Index s : kept) {
    const Index p = supernodes.parent[s];
    forest.push_back(p == -1 ? -1 : position[target[p]]);
  }
  const Permutation order = postorder(forest);
  Groups groups;
  for (const Index s : target) groups.of.push_back(order.new_of[position[s]]);
  for (const Index k : order.old_of) groups.root.push_back(kept[k]);
  groups.parent = renumbered_forest(forest, order);
  return groups;
}

Supernodes grouped(const Supernodes& supernodes, const Groups& groups) {
  Supernodes result;
  result.parent = groups.parent;
  result.begin.assign(groups.root.size() + 1, 0);
  for (Index s = 0; s < supernodes.count(); ++s) {
    result.begin[groups.of[s] + 1] += supernodes.width(s);
  }
  std::inclusive_scan(result.begin.begin(), result.begin.end(), result.begin.begin());
  for (Index g = 0; g < result.count(); ++g) {
    result.height.push_back(result.width(g) + supernodes.below(groups.root[g]));
  }
  return result;
}

/// Puts the columns of every group into its range; they keep their order inside it.
Permutation columns_by_group(const Supernodes& supernodes, const Groups& groups,
                             const std::vector<Index>& group_begin) {
  std::vector<Index> next = group_begin;
  std::vector<Index> old_of(group_begin.back());
  for (Index s = 0; s < supernodes.count(); ++s) {
    for (Index column = supernodes.begin[s]; column < supernodes.begin[s + 1]; ++column) {
      old_of[next[groups.of[s]]++] = column;
    }
  }
  return Permutation::from_old_of(std::move(old_of));
}

}  // namespace

Amalgamation amalgamate(const Supernodes& supernodes, const AmalgamationOptions& options) {
  const Groups groups = postordered_groups(supernodes, merge_targets(supernodes, options));
  Supernodes result = grouped(supernodes, groups);
  Permutation renumbering = columns_by_group(supernodes, groups, result.begin);
  return {std::move(result), std::move(renumbering)};
}

}  // namespace espalier
