// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/uninitialized.hpp"
#include "espalier/types.hpp"
#include "ordering/dissection/weighted_graph.hpp"

namespace espalier::internal {

/// Vertex separator: no edge joins a vertex of side 0 with a vertex of side 1.
struct Separation {
  static constexpr std::uint8_t separator = 2;

  std::vector<std::uint8_t> part;  ///< by vertex: 0, 1 or separator
  std::array<Index, 3> weight{};   ///< by part
};

/// Cost function that weighs the size of a separator against the balance of its sides.
struct SeparationCost {
  /// Maximum weight of one side, as a share of the weight of both sides. Weight beyond this maximum
  /// counts like weight of the separator.
  double heaviest_share = 0.6;

  double of(const std::array<Index, 3>& weight) const {
    const double sides = static_cast<double>(weight[0]) + weight[1];
    const double heavier = std::max(weight[0], weight[1]);
    // The imbalance decides between separators of about the same weight. Without this term,
    // refinement drifts.
    const double imbalance = (2 * heavier - sides) / (sides + 1);
    const double excess = std::max(0.0, heavier - heaviest_share * sides);
    return weight[Separation::separator] * (1 + 0.02 * imbalance) + excess;
  }
  double of(const Separation& separation) const { return of(separation.weight); }
  /// Returns whether a side of this weight is within its share.
  bool admits(double side, const Separation& separation) const {
    const auto& weight = separation.weight;
    return side <= heaviest_share * (static_cast<double>(weight[0]) + weight[1]);
  }
};

/// Throws InputError for the first edge between the sides, or if a weight is not the sum of the
/// weights of its vertices.
void check(const WeightedGraph& graph, const Separation& separation);

/// Priority queue of vertices by gain, the largest first and the latest first among equals, for the
/// refinement of Fiduccia and Mattheyses. All operations take constant time. Gains are rounded and
/// clamped to 256 different values.
class GainBuckets {
 public:
  /// Empties the queue for vertices 0..n-1. Gains up to `largest` are rounded but not clamped.
  void reset(Index n, Index largest) {
    if (static_cast<Index>(node_.size()) < n) node_.resize(n);
    shift_ = 0;
    while ((largest >> shift_) >= half / 2) ++shift_;
    clear();
  }
  void clear() {
    head_.fill(none);
    top_ = none;
    size_ = 0;
  }

  bool empty() const { return size_ == 0; }
  void insert(Index v, Index gain) { link(v, gain, bucket_of(gain)); }
  void remove(Index v) {
    const Node node = node_[v];
    (node.previous == none ? head_[node.bucket] : node_[node.previous].next) = node.next;
    if (node.next != none) node_[node.next].previous = node.previous;
    --size_;
  }
  /// Increases the gain of a vertex in the queue.
  void raise(Index v, Index by) {
    const Index gain = node_[v].gain + by;
    const Index bucket = bucket_of(gain);
    if (node_[v].bucket == bucket) {
      node_[v].gain = gain;
      return;
    }
    remove(v);
    link(v, gain, bucket);
  }
  /// Returns the vertex with the largest gain. The queue must not be empty.
  Index best() {
    while (head_[top_] == none) --top_;
    return head_[top_];
  }

 private:
  static constexpr Index none = -1;
  static constexpr Index half = 128;

  struct Node {
    Index next, previous, bucket, gain;
  };

  Index bucket_of(Index gain) const { return std::clamp(gain >> shift_, -half, half - 1) + half; }
  void link(Index v, Index gain, Index bucket) {
    node_[v] = {head_[bucket], none, bucket, gain};
    if (head_[bucket] != none) node_[head_[bucket]].previous = v;
    head_[bucket] = v;
    top_ = std::max(top_, bucket);
    ++size_;
  }

  UninitializedVector<Node> node_;
  std::array<Index, std::size_t{2} * half> head_{};
  Index top_ = none;
  Index size_ = 0;
  int shift_ = 0;
};

/// Makes and improves separators by moving vertices out of them, the best vertex first. A vertex
/// that moves to one side pulls its neighbours on the other side into the separator. A pass moves
/// all vertices to the same side, so that the separator sweeps over the graph. At its end, the pass
/// restores the best separator that it met.
///
/// Ashcraft, Liu, "Applications of the Dulmage-Mendelsohn decomposition and network flow to graph
/// bisection improvement", SIAM J. Matrix Anal. Appl. 19, 1998; Hendrickson, Rothberg, "Improving
/// the run time and quality of nested dissection ordering", SIAM J. Sci. Comput. 20, 1998. The
/// object has workspace for one graph at a time.
class SeparatorRefinement {
 public:
  explicit SeparatorRefinement(const SeparationCost& cost) : cost_(cost) {}

  /// Improves a separation by up to two passes to each side.
  void refine(const WeightedGraph& graph, Separation& separation);
  /// Grows side 0 from the vertex `seed` over half of the graph, component by component. Returns
  /// the best separation met.
  Separation grow(const WeightedGraph& graph, Index seed);

 private:
  struct Move {
    Index vertex;
    Index pulled_end;  ///< number of pulled vertices after this move
  };
  struct Best {
    double cost;
    Index moves;
  };

  void bind(const WeightedGraph& graph, Separation& separation);
  void start_pass(std::uint8_t to);
  void collect_separator();
  bool pass(std::uint8_t to, Index patience);
  /// Inserts a vertex of the separator into the queue.
  void enter(Index v);
  /// Moves a vertex of side `from_` into the separator.
  void pull(Index v);
  /// Moves the vertex with the largest gain. Records the separation if it is the best so far.
  void move(Best& best);
  void undo_to(Index moves);
  void shift_weight(Index v, std::uint8_t from, std::uint8_t to);

  SeparationCost cost_;
  const WeightedGraph* graph_ = nullptr;
  Separation* separation_ = nullptr;
  std::uint8_t to_ = 0;                ///< side to which vertices move in this pass
  std::uint8_t from_ = 1;              ///< the other side
  GainBuckets queue_;                  ///< vertices of the separator
  UninitializedVector<Move> moves_;    ///< moves of this pass, the first `move_count_`
  UninitializedVector<Index> pulled_;  ///< pulled vertices, the first `pulled_count_`
  Index move_count_ = 0;
  Index pulled_count_ = 0;
};

}  // namespace espalier::internal
