// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/predecessors.hpp"

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "ordering/separator_tree.hpp"

namespace espalier::internal {

namespace {

/// Merged vertices that wait for others, and the vertices that each one lets through.
class Waiting {
 public:
  explicit Waiting(const CompressedGraph& graph)
      : begin_(graph.weight.size() + 1, 0), waits_for_(graph.weight.size(), 0) {
    std::vector<Index> merged_of(graph.member.size());
    for (Index c = 0; c < graph.graph.n; ++c) {
      for (const Index v : graph.members(c)) merged_of[v] = c;
    }
    const auto for_each_relation = [&](auto f) {
      const std::vector<Index>& predecessor = graph.matched.predecessor;
      for (std::size_t v = 0; v < predecessor.size(); ++v) {
        if (predecessor[v] < 0) continue;
        const Index first = merged_of[predecessor[v]], second = merged_of[v];
        if (first != second) f(first, second);
      }
    };
    for_each_relation([&](Index first, Index) { ++begin_[first + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    follower_.resize(static_cast<std::size_t>(begin_.back()));
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for_each_relation([&](Index first, Index second) {
      follower_[next[first]++] = second;
      ++waits_for_[second];
    });
  }

  bool nothing_waits() const { return follower_.empty(); }
  bool waits(Index c) const { return waits_for_[c] > 0; }
  std::span<const Index> followers(Index c) const {
    return std::span(follower_).subspan(begin_[c], begin_[c + 1] - begin_[c]);
  }
  /// Notes that a vertex that c waits for is in the order. Returns whether c no longer waits.
  bool release(Index c) { return --waits_for_[c] == 0; }

 private:
  std::vector<Index> begin_;
  std::vector<Index> follower_;
  std::vector<Index> waits_for_;  ///< number of predecessors that are not yet in the order
};

}  // namespace

Permutation after_predecessors(const CompressedGraph& graph, Permutation permutation) {
  Waiting waiting(graph);
  if (waiting.nothing_waits()) return permutation;
  std::vector<Index> order;
  order.reserve(permutation.old_of.size());
  std::vector<char> reached(permutation.old_of.size(), 0);
  for (const Index c : permutation.old_of) {
    reached[c] = 1;
    if (waiting.waits(c)) continue;
    std::size_t next = order.size();
    order.push_back(c);
    for (; next < order.size(); ++next) {
      for (const Index follower : waiting.followers(order[next])) {
        if (waiting.release(follower) && reached[follower]) order.push_back(follower);
      }
    }
  }
  for (const Index c : permutation.old_of) {
    if (waiting.waits(c)) order.push_back(c);
  }
  return Permutation::from_old_of(std::move(order));
}

void move_after_predecessors(const CompressedGraph& graph, Ordering& ordering) {
  if (graph.matched.predecessor.empty()) return;
  Permutation moved = after_predecessors(graph, ordering.permutation);
  if (moved.old_of == ordering.permutation.old_of) return;
  ordering.permutation = std::move(moved);
  if (!ordering.part.empty()) ordering.part = one_part(graph.graph.n);
}

}  // namespace espalier::internal
