// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/row_structure.hpp"

#include <utility>

namespace espalier {
namespace {

/// Adds one row after the other, ascending, to the supernodes that have it.
class RowWalk {
 public:
  RowWalk(const EliminationOrder& order, const Amalgamation& amalgamation)
      : order_(order), supernodes_(amalgamation.supernodes), node_(supernodes_.count()) {
    result_.begin.reserve(node_.size() + 1);
    for (Index s = 0; s < supernodes_.count(); ++s) {
      node_[s] = {result_.begin.back() + supernodes_.width[s], supernodes_.parent[s], -1, -1};
      result_.begin.push_back(result_.begin.back() + supernodes_.height[s]);
    }
    result_.row.resize(result_.begin.back());
    supernode_of_.resize(order.size());
    graph_vertex_.resize(order.size());
    for (Index s = 0; s < supernodes_.count(); ++s) {
      for (Index i = supernodes_.begin[s]; i < supernodes_.begin[s + 1]; ++i) {
        const Index v = order.postorder.old_of[amalgamation.renumbering.old_of[i]];
        graph_vertex_[i] = v;
        supernode_of_[v] = s;
      }
    }
  }

  /// Rows that are vertices of supernode s, and the ranges that face it.
  void add_rows_of(Index s) {
    const auto first_range = static_cast<std::ptrdiff_t>(result_.facing.size());
    faced_by_.clear();
    for (Index i = supernodes_.begin[s]; i < supernodes_.begin[s + 1]; ++i) add_row(i, s);
    for (std::size_t k = 0; k < faced_by_.size(); ++k) {
      FacingRange& range = result_.facing[first_range + k];
      range.size = static_cast<Index>(node_[faced_by_[k]].next - range.begin);
    }
    result_.facing_begin.push_back(static_cast<Count>(result_.facing.size()));
  }

  RowStructure take() {
    result_.below.reserve(node_.size());
    for (Index s = 0; s < supernodes_.count(); ++s) {
      result_.below.push_back(
          static_cast<Index>(node_[s].next - result_.begin[s] - supernodes_.width[s]));
    }
    return std::move(result_);
  }

 private:
  struct Node {
    Count next;  ///< where its next row goes
    Index parent;
    Index last_row;  ///< that was added, or one of its own
    Index faces;     ///< the supernode that its last row belongs to
  };

  void add_row(Index i, Index s) {
    node_[s].last_row = i;
    for (const Index u : order_.graph.earlier(graph_vertex_[i])) {
      for (Index t = supernode_of_[u]; node_[t].last_row != i; t = node_[t].parent) {
        Node& node = node_[t];
        node.last_row = i;
        if (node.faces != s) {
          node.faces = s;
          result_.facing.push_back({node.next, 0});
          faced_by_.push_back(t);
        }
        result_.row[node.next++] = i;
      }
    }
  }

  const EliminationOrder& order_;
  const Supernodes& supernodes_;
  std::vector<Node> node_;
  std::vector<Index> supernode_of_;  ///< of a vertex of the graph
  std::vector<Index> graph_vertex_;
  std::vector<Index> faced_by_;  ///< supernodes of the ranges that face the current one
  RowStructure result_;
};

}  // namespace

RowStructure row_structure(const EliminationOrder& order, const Amalgamation& amalgamation) {
  RowWalk walk(order, amalgamation);
  for (Index s = 0; s < amalgamation.supernodes.count(); ++s) walk.add_rows_of(s);
  return walk.take();
}

}  // namespace espalier
