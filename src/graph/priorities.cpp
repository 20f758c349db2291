// SPDX-License-Identifier: BSD-3-Clause
#include "graph/priorities.hpp"

#include <algorithm>
#include <queue>

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

namespace {

/// Event-driven list scheduling on equal workers.
class ListSchedule {
 public:
  ListSchedule(const TaskGraph& graph, Index workers, double overhead)
      : graph_(graph), idle_(workers), overhead_(overhead), waiting_for_(graph.task.size(), 0) {
    for (const Index t : graph.successor) ++waiting_for_[t];
    for (Index t = 0; t < graph.size(); ++t) {
      if (waiting_for_[t] == 0) make_ready(t);
    }
  }

  double makespan() {
    double now = 0;
    while (!ready_.empty() || !running_.empty()) {
      for (; idle_ > 0 && !ready_.empty(); --idle_) start_next(now);
      now = running_.top().end;
      for (; !running_.empty() && running_.top().end <= now; ++idle_) finish_next();
    }
    return now;
  }

 private:
  struct Ready {
    float priority;
    Index task;
    bool operator<(const Ready& other) const {
      return priority != other.priority ? priority < other.priority : task > other.task;
    }
  };
  struct Running {
    double end;
    Index task;
    bool operator<(const Running& other) const { return end > other.end; }
  };

  void make_ready(Index t) { ready_.push({graph_.task[t].priority, t}); }

  void start_next(double now) {
    const Index t = ready_.top().task;
    ready_.pop();
    running_.push({now + graph_.task[t].seconds + overhead_, t});
  }

  void finish_next() {
    const Index t = running_.top().task;
    running_.pop();
    for (const Index next : graph_.successors(t)) {
      if (--waiting_for_[next] == 0) make_ready(next);
    }
  }

  const TaskGraph& graph_;
  Index idle_;
  double overhead_;
  std::vector<Index> waiting_for_;
  std::priority_queue<Ready> ready_;
  std::priority_queue<Running> running_;
};

}  // namespace

double predicted_makespan(const TaskGraph& graph, Index workers, double overhead) {
  return ListSchedule(graph, workers, overhead).makespan();
}

}  // namespace espalier
