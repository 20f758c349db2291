// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/supernodes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "espalier/types.hpp"
#include "symbolic/etree.hpp"

namespace espalier::internal {

std::vector<Index> supernode_of_column(std::span<const Index> begin) {
  std::vector<Index> result(begin.back());
  for (std::size_t s = 0; s + 1 < begin.size(); ++s) {
    std::fill(result.begin() + begin[s], result.begin() + begin[s + 1], static_cast<Index>(s));
  }
  return result;
}

Supernodes fundamental_supernodes(std::span<const Index> parent,
                                  std::span<const Index> column_count,
                                  std::span<const Index> weight) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> children(n, 0);
  for (const Index p : parent) {
    if (p != -1) ++children[p];
  }
  Supernodes result;
  std::vector<Index> supernode(n);
  for (Index v = 0; v < n; ++v) {
    const bool continues = v > 0 && parent[v - 1] == v && children[v] == 1 &&
                           column_count[v - 1] == column_count[v] + weight[v - 1];
    if (!continues) {
      if (v > 0) result.begin.push_back(v);
      result.width.push_back(0);
      result.height.push_back(column_count[v]);
    }
    result.width.back() += weight[v];
    supernode[v] = static_cast<Index>(result.width.size()) - 1;
  }
  if (n > 0) result.begin.push_back(n);
  result.parent.reserve(result.width.size());
  for (std::size_t s = 0; s < result.width.size(); ++s) {
    const Index above = parent[result.begin[s + 1] - 1];
    result.parent.push_back(above == -1 ? -1 : supernode[above]);
  }
  return result;
}

namespace {

/// A supernode as it grows.
struct Candidate {
  Index width;
  Index height;
  Count zeros;  ///< explicit zeros in its trapezoid
};

/// Explicit zeros that a merge adds: the rows of the parent that the child has not, in each of the
/// child's columns.
Count zeros_added(const Candidate& child, const Candidate& parent) {
  return Count{child.width} * (parent.height - (child.height - child.width));
}

Candidate merged(const Candidate& child, const Candidate& parent) {
  return {child.width + parent.width, child.width + parent.height,
          child.zeros + parent.zeros + zeros_added(child, parent)};
}

bool allowed(const Candidate& candidate, const AmalgamationOptions& options) {
  const Count width = candidate.width;
  const Count triangle = width * (width - 1) / 2;
  const auto trapezoid = static_cast<double>(width * candidate.height - triangle);
  const auto zeros = static_cast<double>(candidate.zeros);
  for (std::size_t i = 0; i < options.widths.size(); ++i) {
    if (width <= options.widths[i] && zeros <= options.zeros[i] * trapezoid) return true;
  }
  return false;
}

/// Merges supernodes into their parents, children before parents.
class Merging {
 public:
  Merging(const Supernodes& supernodes, const AmalgamationOptions& options)
      : options_(options),
        first_(first_descendants(supernodes.parent)),
        candidate_(supernodes.count()),
        target_(supernodes.count()) {
    std::iota(target_.begin(), target_.end(), 0);
    for (Index s = 0; s < supernodes.count(); ++s) {
      candidate_[s] = {supernodes.width[s], supernodes.height[s], 0};
      if (first_[s] != s) merge_children_of(s);
    }
    for (Index s = supernodes.count(); s-- > 0;) target_[s] = target_[target_[s]];
  }

  /// The supernode that each one merges into, itself where it stays.
  const std::vector<Index>& target() const { return target_; }

 private:
  void merge_children_of(Index p) {
    children_.clear();
    // The child with the largest number is p - 1; before its subtree ends that of the next.
    for (Index c = p - 1; c >= first_[p]; c = first_[c] - 1) {
      children_.emplace_back(candidate_[c].zeros + zeros_added(candidate_[c], candidate_[p]), c);
    }
    if (children_.size() > 1) std::sort(children_.begin(), children_.end());
    for (const auto& [zeros, c] : children_) {
      const Candidate both = merged(candidate_[c], candidate_[p]);
      if (!allowed(both, options_)) continue;
      candidate_[p] = both;
      target_[c] = p;
    }
  }

  const AmalgamationOptions& options_;
  const std::vector<Index> first_;
  std::vector<Candidate> candidate_;
  std::vector<Index> target_;
  std::vector<std::pair<Count, Index>> children_;  ///< zeros to add, supernode
};

/// The number of the group that each supernode ends up in. Groups take the order of the supernodes
/// that stay; their descendants are ranges still, so that this is a postorder.
std::vector<Index> groups_of(const std::vector<Index>& target) {
  std::vector<Index> group(target.size());
  Index groups = 0;
  for (std::size_t s = 0; s < target.size(); ++s) {
    if (target[s] == static_cast<Index>(s)) group[s] = groups++;
  }
  for (std::size_t s = 0; s < target.size(); ++s) group[s] = group[target[s]];
  return group;
}

Supernodes grouped(const Supernodes& supernodes, const std::vector<Index>& target,
                   const std::vector<Index>& group) {
  Supernodes result;
  for (Index s = 0; s < supernodes.count(); ++s) {
    if (target[s] != s) continue;
    const Index p = supernodes.parent[s];
    result.parent.push_back(p == -1 ? -1 : group[p]);
    result.height.push_back(supernodes.below(s));
  }
  result.width.assign(result.parent.size(), 0);
  result.begin.assign(result.parent.size() + 1, 0);
  for (Index s = 0; s < supernodes.count(); ++s) {
    result.begin[group[s] + 1] += supernodes.begin[s + 1] - supernodes.begin[s];
    result.width[group[s]] += supernodes.width[s];
  }
  std::inclusive_scan(result.begin.begin(), result.begin.end(), result.begin.begin());
  for (Index g = 0; g < result.count(); ++g) result.height[g] += result.width[g];
  return result;
}

/// Puts the vertices of every group into its range; they keep their order inside it.
Permutation vertices_by_group(const Supernodes& supernodes, const std::vector<Index>& group,
                              const std::vector<Index>& group_begin) {
  std::vector<Index> next = group_begin;
  Permutation result{std::vector<Index>(group_begin.back()),
                     std::vector<Index>(group_begin.back())};
  for (Index s = 0; s < supernodes.count(); ++s) {
    for (Index v = supernodes.begin[s]; v < supernodes.begin[s + 1]; ++v) {
      const Index number = next[group[s]]++;
      result.new_of[v] = number;
      result.old_of[number] = v;
    }
  }
  return result;
}

}  // namespace

Amalgamation amalgamate(const Supernodes& supernodes, const AmalgamationOptions& options) {
  const Merging merging(supernodes, options);
  const std::vector<Index> group = groups_of(merging.target());
  Supernodes result = grouped(supernodes, merging.target(), group);
  Permutation renumbering = vertices_by_group(supernodes, group, result.begin);
  return {std::move(result), std::move(renumbering)};
}

}  // namespace espalier::internal
