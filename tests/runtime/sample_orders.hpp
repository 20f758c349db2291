// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "codelets/task_list.hpp"
#include "graph/task_graph.hpp"

namespace espalier::internal::support {

/// Successors of every task.
using Edges = std::vector<std::set<Index>>;

inline Edges edges_of(const TaskGraph& graph) {
  Edges edges(graph.task.size());
  for (Index t = 0; t < graph.size(); ++t) {
    const auto next = graph.successors(t);
    edges[t].insert(next.begin(), next.end());
  }
  return edges;
}

/// Returns the edges that a runtime derives from the accesses. Reads between two writes do not
/// depend on each other, and neither do consecutive additions.
inline Edges edges_of(const TaskList& list) {
  struct History {
    std::vector<Index> last;      ///< tasks of the current kind of access
    std::vector<Index> previous;  ///< tasks before them
    AccessMode mode = AccessMode::write;
  };
  Edges edges(list.task.size());
  std::vector<History> history(list.data.size());
  for (std::size_t t = 0; t < list.task.size(); ++t) {
    for (const Access& access : list.accesses(list.task[t])) {
      History& h = history[access.data];
      const bool shared = access.mode == AccessMode::read || access.mode == AccessMode::add;
      if (!shared || access.mode != h.mode) {
        h.previous = std::exchange(h.last, {});
        h.mode = access.mode;
      }
      for (const Index before : h.previous) edges[before].insert(static_cast<Index>(t));
      h.last.push_back(static_cast<Index>(t));
    }
  }
  return edges;
}

/// Returns a random order that respects the edges: any ready task may be the next.
inline TaskList shuffled(const TaskList& list, const Edges& edges, std::mt19937_64& generator) {
  std::vector<Index> waiting_for(edges.size(), 0);
  for (const auto& next : edges) {
    for (const Index t : next) ++waiting_for[t];
  }
  std::vector<Index> ready;
  for (std::size_t t = 0; t < edges.size(); ++t) {
    if (waiting_for[t] == 0) ready.push_back(static_cast<Index>(t));
  }
  TaskList result = list;
  result.task.clear();
  while (!ready.empty()) {
    const std::size_t pick = generator() % ready.size();
    const Index t = std::exchange(ready[pick], ready.back());
    ready.pop_back();
    result.task.push_back(list.task[t]);
    for (const Index next : edges[t]) {
      if (--waiting_for[next] == 0) ready.push_back(next);
    }
  }
  EXPECT_EQ(result.task.size(), list.task.size()) << "the edges have a cycle";
  return result;
}

}  // namespace espalier::internal::support
