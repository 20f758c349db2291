// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>

#include "graph/described_graph.hpp"

namespace espalier::internal::support {

/// Appends a task with times on a core and on a CUDA device (0: not run there), in seconds.
inline void add_task(DescribedGraph& graph, TaskKind kind, double cpu, double cuda,
                     std::initializer_list<Access> accesses) {
  DescribedTask task{.shape = {kind, 4, 2, 3, 100 * cpu, cpu, cpu / 2}};
  task.device_seconds[0] = cuda;
  task.shape.row = 1;
  task.shape.column = 0;
  task.owner = 1;
  task.access_begin = std::ssize(graph.access);
  graph.access.insert(graph.access.end(), accesses);
  task.access_end = std::ssize(graph.access);
  graph.task.push_back(task);
}

/// Returns a graph with a fork and a join:
///
///   0: D, 1 s, writes data 0
///   1, 2: U, 2 s and 3 s, read data 0 and add to data 1, so that one of them waits for the other
///   3: U, 4 s, reads data 0 and writes data 2
///   4: D, 1 s, reads data 2 and writes data 1
inline DescribedGraph tiny_graph() {
  DescribedGraph graph;
  graph.origin.program = "espalier test";
  graph.origin.matrix = "a \"tiny\" one";
  graph.origin.n = 7;
  graph.origin.times = {{"cpu", "analytic", "", ""}, {"cuda", "calibrated", "c.json", ""}};
  graph.data = {{800, 0, 0}, {1600, 1, 1}, {2400, 1, 0}};
  using enum AccessMode;
  add_task(graph, TaskKind::diagonal, 1, 0, {{0, read_write}});
  add_task(graph, TaskKind::update, 2, 0.5, {{1, add}, {0, read}});
  add_task(graph, TaskKind::update, 3, 0.5, {{1, add}, {0, read}});
  add_task(graph, TaskKind::update, 4, 1, {{2, write}, {0, read}});
  add_task(graph, TaskKind::diagonal, 1, 0, {{1, read_write}, {2, read}});
  const std::initializer_list<float> priorities{7, 3, 4, 5, 1};
  for (Index t = 0; t < graph.size(); ++t) graph.task[t].shape.path = priorities.begin()[t];
  connect(graph);
  return graph;
}

}  // namespace espalier::internal::support
