// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/row_structure.hpp"

#include <algorithm>
#include <utility>

namespace espalier {
namespace {

/// Collects the rows of one supernode after the other, children before parents.
class RowCollector {
 public:
  RowCollector(const AdjacencyGraph& graph, const Amalgamation& amalgamation)
      : graph_(graph),
        supernodes_(amalgamation.supernodes),
        renumbering_(amalgamation.renumbering),
        first_child_(supernodes_.count(), -1),
        next_sibling_(supernodes_.count(), -1),
        mark_(graph.n, -1) {
    result_.begin.resize(supernodes_.count() + 1, 0);
    for (Index s = 0; s < supernodes_.count(); ++s) {
      result_.begin[s + 1] = result_.begin[s] + supernodes_.height[s];
    }
    result_.row.resize(result_.begin.back());
  }

  /// The rows of a child with the most rows come first: they are sorted already, and what is left
  /// to add and to sort is little. The number of rows is known, so the search ends when all are
  /// found.
  void collect(Index s) {
    current_ = s;
    next_ = result_.row.begin() + result_.begin[s];
    end_ = result_.row.begin() + result_.begin[s + 1];
    for (Index column = supernodes_.begin[s]; column < supernodes_.begin[s + 1]; ++column) {
      *next_++ = column;
    }
    const auto below = next_;
    const Index largest = largest_child(s);
    if (largest != -1) add_rows_of_child(largest);
    const auto sorted_end = next_;
    for (Index c = first_child_[s]; c != -1 && next_ != end_; c = next_sibling_[c]) {
      if (c != largest) add_rows_of_child(c);
    }
    add_pattern_of_columns(s);
    std::sort(sorted_end, next_);
    std::inplace_merge(below, sorted_end, next_);

    const Index p = supernodes_.parent[s];
    if (p != -1) next_sibling_[s] = std::exchange(first_child_[p], s);
  }

  RowStructure take() { return std::move(result_); }

 private:
  Index largest_child(Index s) const {
    Index largest = first_child_[s];
    for (Index c = largest; c != -1; c = next_sibling_[c]) {
      if (supernodes_.below(c) > supernodes_.below(largest)) largest = c;
    }
    return largest;
  }

  void add(Index row) {
    if (row < supernodes_.begin[current_ + 1] || mark_[row] == current_) return;
    mark_[row] = current_;
    *next_++ = row;
  }

  void add_rows_of_child(Index c) {
    for (const Index row : result_.of(c).subspan(supernodes_.width(c))) add(row);
  }

  void add_pattern_of_columns(Index s) {
    for (Index column = supernodes_.begin[s]; column < supernodes_.begin[s + 1]; ++column) {
      if (next_ == end_) return;
      for (const Index u : graph_.of(renumbering_.old_of[column])) add(renumbering_.new_of[u]);
    }
  }

  const AdjacencyGraph& graph_;
  const Supernodes& supernodes_;
  const Permutation& renumbering_;
  std::vector<Index> first_child_;
  std::vector<Index> next_sibling_;
  std::vector<Index> mark_;  ///< the last supernode that a row was added to
  RowStructure result_;
  Index current_ = -1;
  std::vector<Index>::iterator next_;
  std::vector<Index>::iterator end_;
};

}  // namespace

RowStructure row_structure(const AdjacencyGraph& graph, const Amalgamation& amalgamation) {
  RowCollector collector(graph, amalgamation);
  for (Index s = 0; s < amalgamation.supernodes.count(); ++s) collector.collect(s);
  return collector.take();
}

}  // namespace espalier
