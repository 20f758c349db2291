// SPDX-License-Identifier: BSD-3-Clause
#include "graph/joined_updates.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "mapping/counted.hpp"

namespace espalier::internal {

namespace {

using Members = std::span<const Index>;  ///< numbers of tasks

/// Rule that joins small updates of a device that read the same tiles.
class OfDevice {
 public:
  OfDevice(const TaskGraph& graph, const JoinLimits& limits) : graph_(graph), limits_(limits) {}

  bool takes(const Task& task) const {
    return task.kind == TaskKind::update && task.contribution >= 0 &&
           graph_.contribution[task.contribution].is_shadow();
  }
  bool are_alike(const Task& a, const Task& b) const {
    return a.left == b.left && a.right == b.right && device_of(a) == device_of(b);
  }
  bool fits(Members members, const Task& task) const {
    Count words = words_of(task);
    double seconds = seconds_of(task);
    for (const Index member : members) {
      words += words_of(graph_.task[member]);
      seconds += seconds_of(graph_.task[member]);
    }
    return std::ssize(members) < limits_.targets && words <= limits_.words &&
           seconds <= limits_.seconds;
  }
  void complete(Task& /*joined*/) const {}

 private:
  Index device_of(const Task& task) const { return graph_.contribution[task.contribution].device; }
  static Count words_of(const Task& task) { return Count{task.rows.size()} + task.columns.size(); }
  double seconds_of(const Task& task) const {
    return size_of(task.rows, task.columns, task.inner).seconds(limits_.kernels);
  }

  const TaskGraph& graph_;
  const JoinLimits& limits_;
};

/// Rule that joins SYRK and GEMM by the same block if their rows are consecutive.
class OfOneBlock {
 public:
  OfOneBlock(const TaskGraph& graph, Count most_entries, const KernelCost& cost)
      : graph_(graph), most_entries_(most_entries), cost_(cost) {}

  bool takes(const Task& task) const {
    return task.kind == TaskKind::update && task.contribution < 0;
  }
  bool are_alike(const Task& a, const Task& b) const {
    return a.right == b.right && a.columns.begin == b.columns.begin &&
           graph_.tiling.tile[a.target].panel == graph_.tiling.tile[b.target].panel;
  }
  bool fits(Members members, const Task& task) const {
    if (graph_.task[members.back()].rows.end != task.rows.begin) return false;
    const Count rows = task.rows.end - graph_.task[members.front()].rows.begin;
    const auto wider = std::max(static_cast<double>(task.columns.size()), task.inner);
    return static_cast<double>(rows) * wider <= static_cast<double>(most_entries_);
  }
  void complete(Task& joined) const {
    joined.fused = true;
    joined.rows.end = graph_.part[joined.parts.end - 1].rows.end;
    joined.kernels = 0;
    for (const Task& part : graph_.parts(joined)) joined.kernels += part.kernels;
    joined.seconds = cost_.task(joined.kind, joined.kernels, joined.flops);
  }

 private:
  const TaskGraph& graph_;
  Count most_entries_;
  const KernelCost& cost_;
};

/// Joins updates that the rule calls alike, until the rule says that the joined task is full.
template <class Rule>
class UpdateJoiner {
 public:
  UpdateJoiner(TaskGraph& graph, const Rule& rule)
      : graph_(graph), rule_(rule), batch_of_(graph.task.size(), -1) {}

  void join() {
    find_batches();
    if (std::ranges::none_of(batch_, [](const Batch& b) { return b.size() > 1; })) return;
    place_tasks();
    move_edges();
    move_messages();
    graph_.task = std::move(task_);
    set_priorities(graph_);
  }

 private:
  using Batch = std::vector<Index>;

  void find_batches() {
    auto message = graph_.message.begin();
    for (Index t = 0; t < graph_.size(); ++t) {
      for (; message != graph_.message.end() && message->before <= t; ++message) open_.clear();
      if (rule_.takes(graph_.task[t])) add(t);
    }
  }

  void add(Index t) {
    const Task& task = graph_.task[t];
    for (const Index b : open_) {
      Batch& batch = batch_[b];
      if (!rule_.are_alike(task, graph_.task[batch.front()]) || !rule_.fits(batch, task)) {
        continue;
      }
      batch.push_back(t);
      batch_of_[t] = b;
      return;
    }
    std::erase_if(open_, [&](Index b) {
      const Task& first = graph_.task[batch_[b].front()];
      return panel_of(first) != panel_of(task) || rule_.are_alike(task, first);
    });
    batch_of_[t] = static_cast<Index>(batch_.size());
    open_.push_back(batch_of_[t]);
    batch_.push_back({t});
  }

  Index panel_of(const Task& update) const { return graph_.tiling.tile[update.left].panel; }

  void place_tasks() {
    place_.resize(graph_.task.size());
    for (Index t = 0; t < graph_.size(); ++t) {
      if (batch_of_[t] >= 0 && batch_[batch_of_[t]].back() != t) continue;
      const auto place = static_cast<Index>(task_.size());
      if (batch_of_[t] < 0) {
        place_[t] = place;
        task_.push_back(graph_.task[t]);
        continue;
      }
      const Batch& batch = batch_[batch_of_[t]];
      for (const Index member : batch) place_[member] = place;
      task_.push_back(joined(batch));
    }
  }

  Task joined(const Batch& batch) {
    Task whole = graph_.task[batch.front()];
    if (batch.size() == 1) return whole;
    whole.flops = whole.seconds = 0;
    whole.parts.begin = static_cast<Index>(graph_.part.size());
    for (const Index member : batch) {
      const Task& part = graph_.task[member];
      whole.flops += part.flops;
      whole.seconds += part.seconds;
      whole.tail = std::max(whole.tail, part.tail);
      graph_.part.push_back(part);
    }
    whole.parts.end = counted(graph_.part.size(), "parts of updates");
    rule_.complete(whole);
    return whole;
  }

  void move_edges() {
    std::vector<std::pair<Index, Index>> edges;
    edges.reserve(graph_.successor.size());
    for (Index t = 0; t < graph_.size(); ++t) {
      for (const Index next : graph_.successors(t)) edges.emplace_back(place_[t], place_[next]);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    graph_.successor.clear();
    graph_.successor_begin.assign(task_.size() + 1, 0);
    for (const auto& [from, to] : edges) {
      ++graph_.successor_begin[from + 1];
      graph_.successor.push_back(to);
    }
    for (std::size_t t = 0; t < task_.size(); ++t) {
      graph_.successor_begin[t + 1] += graph_.successor_begin[t];
    }
  }

  /// Keeps each message after the tasks that it followed before.
  void move_messages() {
    Index t = 0;
    Index behind = 0;  // one past the last new position of the tasks so far
    for (Message& message : graph_.message) {
      for (; t < message.before; ++t) behind = std::max(behind, place_[t] + 1);
      message.before = behind;
    }
  }

  TaskGraph& graph_;
  const Rule& rule_;
  std::vector<Batch> batch_;
  std::vector<Index> batch_of_;  ///< for each task, its batch, or -1
  std::vector<Index> open_;      ///< batches of the current source panel that are not closed
  std::vector<Task> task_;
  std::vector<Index> place_;  ///< for each task, its position in the new list
};

}  // namespace

void join_updates(TaskGraph& graph, const JoinLimits& limits) {
  if (graph.first_shadow() == static_cast<Index>(graph.contribution.size())) return;
  const OfDevice rule(graph, limits);
  UpdateJoiner(graph, rule).join();
}

void fuse_updates(TaskGraph& graph, Count most_entries, const KernelCost& cost) {
  const OfOneBlock rule(graph, most_entries, cost);
  UpdateJoiner(graph, rule).join();
}

}  // namespace espalier::internal
