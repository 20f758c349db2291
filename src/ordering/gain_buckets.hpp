// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// A priority queue of vertices by gain, the largest first and the latest first among equals, as
/// refinement by Fiduccia and Mattheyses needs it: all operations take constant time. Gains are
/// rounded, and cut off, to 256 different ones.
class GainBuckets {
 public:
  /// Empties the queue for vertices 0..n-1; gains up to `largest` are told apart by rounding alone.
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
  void insert(Index v, Index gain) { link(v, bucket_of(gain)); }
  void remove(Index v) {
    const Node node = node_[v];
    (node.previous == none ? head_[node.bucket] : node_[node.previous].next) = node.next;
    if (node.next != none) node_[node.next].previous = node.previous;
    --size_;
  }
  void update(Index v, Index gain) {
    const Index bucket = bucket_of(gain);
    if (node_[v].bucket == bucket) return;
    remove(v);
    link(v, bucket);
  }
  /// The vertex of largest gain; the queue must hold one.
  Index best() {
    while (head_[top_] == none) --top_;
    return head_[top_];
  }

 private:
  static constexpr Index none = -1;
  static constexpr Index half = 128;

  struct Node {
    Index next, previous, bucket;
  };

  Index bucket_of(Index gain) const { return std::clamp(gain >> shift_, -half, half - 1) + half; }
  void link(Index v, Index bucket) {
    node_[v] = {head_[bucket], none, bucket};
    if (head_[bucket] != none) node_[head_[bucket]].previous = v;
    head_[bucket] = v;
    top_ = std::max(top_, bucket);
    ++size_;
  }

  std::vector<Node> node_;
  std::array<Index, 2 * half> head_{};
  Index top_ = none;
  Index size_ = 0;
  int shift_ = 0;
};

}  // namespace espalier
