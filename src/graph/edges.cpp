// SPDX-License-Identifier: BSD-3-Clause
#include "graph/edges.hpp"

#include <algorithm>

namespace espalier {

void EdgeList::store(TaskGraph& graph) {
  auto& begin = graph.successor_begin;
  begin.assign(graph.task.size() + 1, 0);
  for (const auto& edge : edges_) ++begin[edge.first + 1];
  for (std::size_t t = 1; t < begin.size(); ++t) begin[t] += begin[t - 1];
  graph.successor.resize(edges_.size());
  std::vector<Count> next(begin.begin(), begin.end() - 1);
  for (const auto& [from, to] : edges_) graph.successor[next[from]++] = to;
  for (Index t = 0; t < graph.size(); ++t) {
    std::sort(graph.successor.begin() + begin[t], graph.successor.begin() + begin[t + 1]);
  }
  edges_.clear();
}

}  // namespace espalier
