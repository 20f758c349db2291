// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/predecessors.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace espalier::internal {

namespace {

/// Inverse of lists of vertices: for each vertex, the owners of the lists that have it.
class Listed {
 public:
  explicit Listed(const MatchedColumns& matched) : begin_(matched.predecessor.size() + 1, 0) {
    for (const Index v : matched.alternative) ++begin_[v + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    owner_.resize(matched.alternative.size());
    std::vector<Count> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t k = 0; k < matched.predecessor.size(); ++k) {
      const auto owner = static_cast<Index>(k);
      for (const Index v : matched.alternatives(owner)) owner_[next[v]++] = owner;
    }
  }

  std::span<const Index> in_lists_of(Index v) const {
    return std::span(owner_).subspan(begin_[v], begin_[v + 1] - begin_[v]);
  }

 private:
  std::vector<Count> begin_;
  std::vector<Index> owner_;
};

/// An elimination order in progress. A merged vertex waits until the predecessors of all its
/// members are placed, except those among its own members.
class OrderAfterPredecessors {
 public:
  explicit OrderAfterPredecessors(const CompressedGraph& graph)
      : graph_(graph),
        matched_(graph.matched),
        listed_(matched_),
        predecessor_(matched_.predecessor),
        follower_(predecessor_.size(), -1),
        merged_of_(predecessor_.size()),
        missing_(graph.weight.size(), not_reached) {
    for (Index c = 0; c < graph.graph.n; ++c) {
      for (const Index v : graph.members(c)) merged_of_[v] = c;
    }
    for (std::size_t v = 0; v < predecessor_.size(); ++v) {
      if (predecessor_[v] >= 0) follower_[predecessor_[v]] = static_cast<Index>(v);
    }
  }

  std::vector<Index> follow(std::span<const Index> given) {
    order_.reserve(given.size());
    for (const Index c : given) {
      reach(c);
      place_all();
    }
    std::ranges::copy_if(given, std::back_inserter(order_),
                         [&](Index c) { return missing_[c] != placed; });
    return std::move(order_);
  }

 private:
  static constexpr Index not_reached = -1;
  static constexpr Index placed = -2;

  bool is_placed(Index v) const { return missing_[merged_of_[v]] == placed; }
  bool is_missing(Index v) const {
    const Index p = predecessor_[v];
    return p >= 0 && merged_of_[p] != merged_of_[v] && !is_placed(p);
  }

  /// Reaches a merged vertex in the given order. Its members take predecessors that are placed, if
  /// they can.
  void reach(Index c) {
    missing_[c] = 0;
    for (const Index v : graph_.members(c)) {
      if (is_missing(v)) replace_by_placed(v);
      if (is_missing(v)) ++missing_[c];
    }
    if (missing_[c] == 0) place(c);
  }

  void place(Index c) {
    missing_[c] = placed;
    order_.push_back(c);
  }

  /// Places the vertices that wait for placed ones.
  void place_all() {
    for (; released_ < order_.size(); ++released_) {
      for (const Index v : graph_.members(order_[released_])) release_follower(v);
    }
  }

  void replace_by_placed(Index v) {
    for (const Index other : matched_.alternatives(v)) {
      if (follower_[other] < 0 && is_placed(other)) return replace(v, other);
    }
  }

  void replace(Index v, Index predecessor) {
    follower_[predecessor_[v]] = -1;
    predecessor_[v] = predecessor;
    follower_[predecessor] = v;
  }

  /// Returns whether the vertex has been reached, and waits for its predecessor.
  bool waits(Index v) const { return missing_[merged_of_[v]] > 0 && is_missing(v); }

  /// Notes that vertex v is placed. If it precedes no vertex, it takes one that waits.
  void release_follower(Index v) {
    if (follower_[v] < 0) {
      for (const Index waiting : listed_.in_lists_of(v)) {
        if (!waits(waiting)) continue;
        replace(waiting, v);
        break;
      }
      if (follower_[v] < 0) return;
    }
    const Index c = merged_of_[follower_[v]];
    if (missing_[c] > 0 && c != merged_of_[v] && --missing_[c] == 0) place(c);
  }

  const CompressedGraph& graph_;
  const MatchedColumns& matched_;
  Listed listed_;
  std::vector<Index> predecessor_;
  std::vector<Index> follower_;   ///< inverse of predecessor_
  std::vector<Index> merged_of_;  ///< merged vertex of each vertex
  /// Number of predecessors that are not yet placed; or `not_reached` or `placed`.
  std::vector<Index> missing_;
  std::vector<Index> order_;
  std::size_t released_ = 0;
};

}  // namespace

Permutation after_predecessors(const CompressedGraph& graph, Permutation permutation) {
  const std::vector<Index>& predecessor = graph.matched.predecessor;
  if (std::ranges::all_of(predecessor, [](Index p) { return p < 0; })) return permutation;
  return Permutation::from_old_of(OrderAfterPredecessors(graph).follow(permutation.old_of));
}

}  // namespace espalier::internal
