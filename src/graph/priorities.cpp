// SPDX-License-Identifier: BSD-3-Clause
#include "graph/priorities.hpp"

#include <algorithm>

namespace espalier {

void set_priorities(TaskGraph& graph) {
  for (Index t = graph.size() - 1; t >= 0; --t) {
    float longest = graph.task[t].tail;
    for (const Index next : graph.successors(t)) {
      longest = std::max(longest, graph.task[next].priority);
    }
    graph.task[t].priority = longest + static_cast<float>(graph.task[t].seconds);
  }
}

double critical_path(const TaskGraph& graph) {
  float longest = 0;
  for (const Task& task : graph.task) longest = std::max(longest, task.priority);
  return longest;
}

}  // namespace espalier
