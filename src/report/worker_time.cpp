// SPDX-License-Identifier: BSD-3-Clause

#include "report/worker_time.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::internal {

TimeDivision::TimeDivision(const TaskGraph& graph, Index workers)
    : graph_(graph),
      possible_(graph.task.size()),
      by_begin_(graph.task.size()),
      data_free_(graph.tiling.tile.size() + graph.contribution.size()),
      last_end_(workers) {}

void TimeDivision::find_possible_begins(std::span<const BoundTask> tasks) {
  std::fill(possible_.begin(), possible_.end(), 0.0);
  for (Index t = 0; t < graph_.size(); ++t) {
    for (const Index next : graph_.successors(t)) {
      possible_[next] = std::max(possible_[next], tasks[t].record.end);
    }
  }
}

std::span<double> TimeDivision::workers_of(const TaskRecord& record) {
  const std::span<double> all(last_end_);
  return record.slices == std::ssize(all) ? all : all.subspan(record.worker, 1);
}

Index TimeDivision::written_by(const Task& task) const {
  const bool contributes = task.contribution >= 0 && task.kind != TaskKind::reduce;
  const auto tiles = static_cast<Index>(graph_.tiling.tile.size());
  return contributes ? tiles + task.contribution : task.target;
}

WorkerTime TimeDivision::of(std::span<const BoundTask> tasks, double seconds) {
  find_possible_begins(tasks);
  std::iota(by_begin_.begin(), by_begin_.end(), 0);
  std::sort(by_begin_.begin(), by_begin_.end(),
            [&](Index a, Index b) { return tasks[a].record.begin < tasks[b].record.begin; });
  std::fill(data_free_.begin(), data_free_.end(), 0.0);
  std::fill(last_end_.begin(), last_end_.end(), 0.0);
  WorkerTime time;
  for (const Index t : by_begin_) {
    const TaskRecord& record = tasks[t].record;
    double possible = possible_[t];
    for (const Task& part : graph_.parts(graph_.task[t])) {
      if (part.target < 0) continue;
      double& free = data_free_[written_by(part)];
      possible = std::max(possible, free);
      free = record.end;
    }
    for (double& last : workers_of(record)) {
      time.busy += record.end - record.begin;
      time.idle += std::max(0.0, std::min(possible, record.begin) - last);
      last = record.end;
    }
  }
  const double end = *std::max_element(last_end_.begin(), last_end_.end());
  for (const double last : last_end_) time.idle += end - last;
  time.runtime = seconds * static_cast<double>(last_end_.size()) - time.busy - time.idle;
  return time;
}

}  // namespace espalier::internal
