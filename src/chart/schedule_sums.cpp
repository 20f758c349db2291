// SPDX-License-Identifier: BSD-3-Clause
#include "chart/schedule_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/task_kind.hpp"

namespace espalier::internal {

namespace {

constexpr double classes_a_decade = 3;

int class_of(const TaskRun& task) {
  const double seconds = std::max(task.end - task.begin, shortest_seconds);
  return static_cast<int>(std::floor(std::log10(seconds) * classes_a_decade));
}

std::size_t position_of(const std::string& kind, const std::vector<std::string>& kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
}

}  // namespace

bool is_kind(std::string_view name) {
  return static_cast<std::size_t>(kind_named(name)) < task_kinds;
}

std::vector<std::string> kinds_in(const Schedule& schedule) {
  std::vector<std::string> kinds;
  for (const TaskKindTraits& kind : task_kind_table) {
    const bool present = std::any_of(schedule.tasks.begin(), schedule.tasks.end(),
                                     [&](const TaskRun& task) { return task.kind == kind.name; });
    if (present) kinds.emplace_back(kind.name);
  }
  std::set<std::string> others;
  for (const TaskRun& task : schedule.tasks) {
    if (!is_kind(task.kind)) others.insert(task.kind);
  }
  kinds.insert(kinds.end(), others.begin(), others.end());
  return kinds;
}

Index rank_of(Index worker, const Schedule& schedule) {
  const auto& first = schedule.first_worker;
  const auto after = std::upper_bound(first.begin(), first.end(), worker);
  return std::max<Index>(0, static_cast<Index>(after - first.begin()) - 1);
}

WorkerRange workers_of_rank(Index rank, const Schedule& schedule) {
  const auto& first = schedule.first_worker;
  const bool last = rank + 1 >= std::ssize(first);
  return {first.empty() ? 0 : first[rank], last ? schedule.workers : first[rank + 1]};
}

std::string worker_name(Index worker, const Schedule& schedule) {
  if (schedule.first_worker.empty()) return fmt::format("worker {}", worker);
  const Index rank = rank_of(worker, schedule);
  return fmt::format("rank {}, worker {}", rank, worker - workers_of_rank(rank, schedule).begin);
}

WorkerRange workers_of(const TaskRun& task, const Schedule& schedule) {
  const WorkerRange all = workers_of_rank(rank_of(task.worker, schedule), schedule);
  if (task.slices == all.end - all.begin) return all;
  return {task.worker, task.worker + 1};
}

CopyDirection direction_of(const CopyRun& copy) {
  const bool is_to_device = copy.to > 0;
  return {copy.rank, is_to_device ? copy.to : copy.from, is_to_device};
}

std::string name_of(const CopyDirection& direction) {
  return fmt::format("{} device {}", direction.is_to_device ? "to" : "from", direction.device);
}

std::vector<CopyDirection> copy_directions(const Schedule& schedule) {
  std::vector<CopyDirection> all;
  for (const CopyRun& copy : schedule.copies) all.push_back(direction_of(copy));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::vector<double>> work_by_worker(const Schedule& schedule,
                                                const std::vector<std::string>& kinds) {
  std::vector seconds(schedule.workers, std::vector<double>(kinds.size()));
  for (const TaskRun& task : schedule.tasks) {
    const auto [begin, end] = workers_of(task, schedule);
    for (Index worker = begin; worker < end; ++worker) {
      seconds[worker][position_of(task.kind, kinds)] += task.end - task.begin;
    }
  }
  return seconds;
}

Durations durations_of(const Schedule& schedule, const std::vector<std::string>& kinds) {
  Durations durations;
  if (schedule.tasks.empty()) return durations;
  const auto [shortest, longest] =
      std::minmax_element(schedule.tasks.begin(), schedule.tasks.end(),
                          [](const auto& a, const auto& b) { return class_of(a) < class_of(b); });
  const int first = class_of(*shortest);
  const int classes = class_of(*longest) - first + 1;
  for (int k = 0; k <= classes; ++k) {
    durations.edge.push_back(std::pow(10.0, (first + k) / classes_a_decade));
  }
  durations.count.assign(classes, std::vector<Count>(kinds.size()));
  for (const TaskRun& task : schedule.tasks) {
    ++durations.count[class_of(task) - first][position_of(task.kind, kinds)];
  }
  return durations;
}

}  // namespace espalier::internal
