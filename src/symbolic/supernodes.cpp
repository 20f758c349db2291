// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/supernodes.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/uninitialized.hpp"
#include "espalier/types.hpp"
#include "ordering/automatic.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/row_structure.hpp"

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

/// A supernode during amalgamation.
struct Candidate {
  Index width;
  Index height;
  Count zeros;     ///< explicit zeros in its trapezoid
  double seconds;  ///< of its factorization

  Candidate() = default;
  Candidate(Index columns, Index rows, Count explicit_zeros = 0)
      : width(columns),
        height(rows),
        zeros(explicit_zeros),
        seconds(factor_seconds(trapezoid_cost(rows, columns))) {}
  Index below() const { return height - width; }
};

/// Returns the number of explicit zeros that a merge adds to each column of the child: the rows of
/// the parent that the child does not have.
Index zeros_per_column(const Candidate& child, const Candidate& parent) {
  return parent.height - child.below();
}

Count zeros_added(const Candidate& child, const Candidate& parent) {
  return Count{child.width} * zeros_per_column(child, parent);
}

Candidate merged(const Candidate& child, const Candidate& parent) {
  return {child.width + parent.width, child.width + parent.height,
          child.zeros + parent.zeros + zeros_added(child, parent)};
}

bool allowed(const Candidate& candidate, const AmalgamationOptions& options) {
  const double entries = trapezoid_cost(candidate.height, candidate.width).entries;
  const auto zeros = static_cast<double>(candidate.zeros);
  for (std::size_t i = 0; i < options.widths.size(); ++i) {
    if (candidate.width <= options.widths[i] && zeros <= options.zeros[i] * entries) return true;
  }
  return false;
}

/// Returns the predicted seconds that a merge saves: the child no longer has a task and no longer
/// updates ancestors.
double saved_seconds(const Candidate& child) {
  constexpr double fixed = 1e-6;
  constexpr double per_entry = 1e-9;
  const double below = child.below();
  return fixed + per_entry * below * (below + 1) / 2;
}

/// Returns whether the merged supernode is predicted to take at most as long as parent and child.
bool pays(const Candidate& child, const Candidate& parent, const Candidate& both) {
  return both.seconds <= child.seconds + parent.seconds + saved_seconds(child);
}

/// Merges supernodes into their parents, children before parents, in several passes. Each pass
/// allows more zeros in the columns of a child than the pass before. Thus a parent first merges
/// with children of the same structure, and leaves do not use up the zeros that the rules allow.
/// Each pass processes groups of subtrees in parallel, and then the top of the forest.
class Merging {
 public:
  Merging(const Supernodes& supernodes, const AmalgamationOptions& options, Index workers)
      : options_(options),
        groups_(groups_for(supernodes, workers)),
        workers_(workers),
        target_(supernodes.count()),
        first_child_(supernodes.count(), -1),
        last_child_(supernodes.count(), -1),
        sibling_(supernodes.count(), -1) {
    std::iota(target_.begin(), target_.end(), 0);
    candidate_.resize(supernodes.parent.size());
    begin(supernodes);
    for (const double share : {0.0, 0.05, 1.0}) pass(share);
    for (Index s = supernodes.count(); s-- > 0;) target_[s] = target_[target_[s]];
  }

  /// Returns for each supernode the one that it merges into; itself if it stays.
  const std::vector<Index>& target() const { return target_; }

 private:
  /// Children of one supernode: the zeros to add, the width times -1, and the child.
  using Children = std::vector<std::tuple<Count, Index, Index>>;

  static SubtreeGroups groups_for(const Supernodes& supernodes, Index workers) {
    constexpr Index work_of_supernode = 30;  // a merge takes as long as this number of rows of L
    const std::vector<Index> work(supernodes.parent.size(), work_of_supernode);
    return group_subtrees(supernodes.parent, work, workers);
  }

  void begin(const Supernodes& supernodes) {
    const auto add = [&](Index s) {
      candidate_[s] = Candidate(supernodes.width[s], supernodes.height[s]);
    };
    parallel_for(groups_.count(), workers_, [&](Index g) {
      groups_.for_each_in(g, [&](Index s) {
        add(s);
        const Index parent = supernodes.parent[s];
        if (parent != -1 && groups_.in_top[parent] == 0) adopt(parent, s);
      });
    });
    for (const Index s : groups_.top) add(s);
    if (groups_.top.empty()) return;
    for (Index s = 0; s < supernodes.count(); ++s) {
      const Index parent = supernodes.parent[s];
      if (parent != -1 && groups_.in_top[parent] != 0) adopt(parent, s);
    }
  }

  void pass(double share) {
    const auto merge_into = [&](Index s, Children& children) {
      if (target_[s] == s && first_child_[s] != -1) merge_children_of(s, share, children);
    };
    parallel_for(groups_.count(), workers_, [&](Index g) {
      Children children;
      groups_.for_each_in(g, [&](Index s) { merge_into(s, children); });
    });
    Children children;
    for (const Index s : groups_.top) merge_into(s, children);
  }

  void adopt(Index parent, Index child) { adopt(parent, child, child); }

  /// Inserts linked siblings before the children of the parent. Cost O(1), whatever their number. A
  /// wide supernode can pass on very many leaves, the children of all its columns.
  void adopt(Index parent, Index first, Index last) {
    if (first_child_[parent] == -1) last_child_[parent] = last;
    sibling_[last] = first_child_[parent];
    first_child_[parent] = first;
  }

  /// `share` is the maximum fraction of zeros in the columns of a merged child.
  void merge_children_of(Index p, double share, Children& children) {
    sort_children_of(p, children);
    first_child_[p] = -1;
    for (const auto& [zeros, narrowness, c] : children) {
      if (!merge_if_it_pays(c, p, share)) adopt(p, c);
    }
  }

  bool merge_if_it_pays(Index c, Index p, double share) {
    const Candidate& child = candidate_[c];
    const Candidate& parent = candidate_[p];
    if (zeros_per_column(child, parent) > share * (child.width + parent.height)) return false;
    const Candidate both = merged(child, parent);
    if (!allowed(both, options_) || !pays(child, parent, both)) return false;
    merge(c, p, both);
    return true;
  }

  /// Sorts children by the zeros that they add, then the widest first.
  void sort_children_of(Index p, Children& children) const {
    children.clear();
    for (Index c = first_child_[p]; c != -1; c = sibling_[c]) {
      const Candidate& child = candidate_[c];
      children.emplace_back(zeros_added(child, candidate_[p]), -child.width, c);
    }
    if (children.size() > 1) std::sort(children.begin(), children.end());
  }

  void merge(Index child, Index parent, const Candidate& both) {
    candidate_[parent] = both;
    target_[child] = parent;
    if (first_child_[child] != -1) adopt(parent, first_child_[child], last_child_[child]);
  }

  const AmalgamationOptions& options_;
  const SubtreeGroups groups_;
  Index workers_;
  UninitializedVector<Candidate> candidate_;
  std::vector<Index> target_;
  std::vector<Index> first_child_;  ///< -1 if there is none
  std::vector<Index> last_child_;
  std::vector<Index> sibling_;  ///< the next child of the same parent, or -1
};

/// Returns the group of each supernode after all merges. Groups are numbered in the order of the
/// supernodes that stay. This is a postorder, because the descendants of each of these supernodes
/// are still a range.
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

/// Moves the vertices of every group to its range. They keep their order inside it.
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

Amalgamation amalgamate(const Supernodes& supernodes, const AmalgamationOptions& options,
                        Index workers) {
  const Merging merging(supernodes, options, workers);
  const std::vector<Index> group = groups_of(merging.target());
  Supernodes result = grouped(supernodes, merging.target(), group);
  Permutation renumbering = vertices_by_group(supernodes, group, result.begin);
  return {std::move(result), std::move(renumbering)};
}

std::vector<Index> panel_parents(std::span<const Index> panel_supernode,
                                 std::span<const Index> supernode_parent) {
  std::vector<Index> first_panel(supernode_parent.size());
  for (std::size_t p = panel_supernode.size(); p-- > 0;) {
    first_panel[panel_supernode[p]] = static_cast<Index>(p);
  }
  std::vector<Index> parents(panel_supernode.size());
  for (std::size_t p = 0; p < parents.size(); ++p) {
    const Index s = panel_supernode[p];
    const bool is_last = p + 1 == parents.size() || panel_supernode[p + 1] != s;
    const Index above = supernode_parent[s];
    parents[p] = !is_last ? static_cast<Index>(p) + 1 : above < 0 ? -1 : first_panel[above];
  }
  return parents;
}

}  // namespace espalier::internal
