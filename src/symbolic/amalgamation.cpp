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

}  // namespace

Amalgamation amalgamate(const Supernodes& supernodes, const AmalgamationOptions& options) {
  const std::vector<Index> target = merge_targets(supernodes, options);
  std::vector<Index> kept;
  std::vector<Index> position(target.size());  // in `kept`
  for (Index s = 0; s < supernodes.count(); ++s) {
    position[s] = static_cast<Index>(kept.size());
    if (target[s] == s) kept.push_back(s);
  }
  std::vector<Index> forest;
  for (const Index s : kept) {
    const Index p = supernodes.parent[s];
    forest.push_back(p == -1 ? -1 : position[target[p]]);
  }

  const Permutation order = postorder(forest);
  Amalgamation result;
  result.supernodes.parent = renumbered_forest(forest, order);
  std::vector<Index>& begin = result.supernodes.begin;
  begin.assign(kept.size() + 1, 0);
  for (Index s = 0; s < supernodes.count(); ++s) {
    begin[order.new_of[position[target[s]]] + 1] += supernodes.width(s);
  }
  std::inclusive_scan(begin.begin(), begin.end(), begin.begin());
  for (Index s = 0; s < order.size(); ++s) {
    const Index root = kept[order.old_of[s]];
    result.supernodes.height.push_back(begin[s + 1] - begin[s] + supernodes.below(root));
  }

  std::vector<Index> next = begin;
  std::vector<Index> old_of(begin.back());
  for (Index s = 0; s < supernodes.count(); ++s) {
    Index& number = next[order.new_of[position[target[s]]]];
    for (Index column = supernodes.begin[s]; column < supernodes.begin[s + 1]; ++column) {
      old_of[number++] = column;
    }
  }
  result.renumbering = Permutation::from_old_of(std::move(old_of));
  return result;
}

}  // namespace espalier
