// SPDX-License-Identifier: BSD-3-Clause
#include "graph/described_graph.hpp"

#include <algorithm>
#include <utility>

namespace espalier::internal {

namespace {

/// The last tasks that accessed one piece of data. Tasks of a group may run in any order.
struct LastAccesses {
  AccessMode mode = AccessMode::write;
  std::vector<Index> current;  ///< group of the last task
  std::vector<Index> before;   ///< the group before, which the tasks of `current` wait for
};

/// Returns whether a task with this access may run before the last group has ended.
bool joins(const LastAccesses& last, AccessMode mode) {
  const bool groups = mode == AccessMode::read || mode == AccessMode::add;
  return groups && mode == last.mode && !last.current.empty();
}

class EdgeFinder {
 public:
  explicit EdgeFinder(const DescribedGraph& graph) : graph_(graph), last_(graph.data.size()) {}

  /// Returns the tasks before task t that it waits for, ascending.
  const std::vector<Index>& predecessors(Index t) {
    found_.clear();
    for (const Access& access : graph_.accesses(graph_.task[t])) add(t, access);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return found_;
  }

 private:
  void add(Index t, const Access& access) {
    LastAccesses& last = last_[access.data];
    if (!joins(last, access.mode)) {
      std::swap(last.before, last.current);
      last.current.clear();
      last.mode = access.mode;
    }
    for (const Index earlier : last.before) {
      if (earlier != t) found_.push_back(earlier);
    }
    last.current.push_back(t);
  }

  const DescribedGraph& graph_;
  std::vector<LastAccesses> last_;
  std::vector<Index> found_;
};

}  // namespace

void connect(DescribedGraph& graph) {
  EdgeFinder finder(graph);
  std::vector<std::pair<Index, Index>> edges;
  for (Index t = 0; t < graph.size(); ++t) {
    for (const Index from : finder.predecessors(t)) edges.emplace_back(from, t);
  }
  std::sort(edges.begin(), edges.end());
  graph.successor_begin.assign(graph.task.size() + 1, 0);
  graph.successor.clear();
  for (const auto& [from, to] : edges) {
    ++graph.successor_begin[from + 1];
    graph.successor.push_back(to);
  }
  for (std::size_t t = 1; t < graph.successor_begin.size(); ++t) {
    graph.successor_begin[t] += graph.successor_begin[t - 1];
  }
}

double longest_path(const DescribedGraph& graph, std::span<const double> seconds) {
  std::vector<double> path(graph.task.size(), 0);
  double longest = 0;
  for (Index t = graph.size() - 1; t >= 0; --t) {
    for (const Index next : graph.successors(t)) path[t] = std::max(path[t], path[next]);
    path[t] += seconds[t];
    longest = std::max(longest, path[t]);
  }
  return longest;
}

std::vector<double> cpu_seconds(const DescribedGraph& graph) {
  std::vector<double> seconds;
  seconds.reserve(graph.task.size());
  for (const DescribedTask& task : graph.task) seconds.push_back(task.shape.seconds);
  return seconds;
}

Index widest_level(const DescribedGraph& graph) {
  std::vector<Index> level(graph.task.size(), 0);
  std::vector<Index> count;
  for (Index t = 0; t < graph.size(); ++t) {
    for (const Index next : graph.successors(t)) level[next] = std::max(level[next], level[t] + 1);
    if (static_cast<std::size_t>(level[t]) >= count.size()) count.resize(level[t] + 1, 0);
    ++count[level[t]];
  }
  return count.empty() ? 0 : *std::max_element(count.begin(), count.end());
}

}  // namespace espalier::internal
