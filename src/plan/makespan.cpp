// SPDX-License-Identifier: BSD-3-Clause

#include "plan/makespan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

#include "base/decision_time.hpp"
#include "base/scalar.hpp"
#include "plan/device_seconds.hpp"

namespace espalier::internal {

namespace {

/// The two stages of a task: first its data are copied, then it runs.
enum Stage : std::uint8_t { travelling, running };

class ListSchedule {
 public:
  /// `devices` is null if the host has none.
  ListSchedule(const TaskGraph& graph, Index workers, double overhead, const DeviceShare* devices)
      : graph_(graph),
        overhead_(overhead),
        lock_(std::min(2 * decision_seconds, overhead)),
        devices_(devices),
        waiting_for_(graph.task.size(), 0),
        is_there_(devices ? graph.tiling.tile.size() : 0, false) {
    resources_[host].idle = workers;
    resources_[link].idle = 1;
    if (devices) resources_[device].idle = devices->processors;
    for (const Index t : graph.successor) ++waiting_for_[t];
    for (Index t = 0; t < graph.size(); ++t) {
      if (waiting_for_[t] == 0) make_ready(t);
    }
  }

  double makespan() {
    double now = 0;
    while (true) {
      for (const Resource resource : {host, device, link}) start_on(resource, now);
      if (in_progress_.empty()) return now;
      now = in_progress_.top().end;
      while (!in_progress_.empty() && in_progress_.top().end <= now) finish_next();
    }
  }

 private:
  enum Resource : std::uint8_t { host, device, link, resource_count };
  struct Ready {
    float priority;
    Index task;
    Stage stage;
    bool operator<(const Ready& other) const {
      return priority != other.priority ? priority < other.priority : task > other.task;
    }
  };
  struct Running {
    double end;
    Index task;
    Stage stage;
    Resource resource;
    bool operator<(const Running& other) const { return end > other.end; }
  };
  struct Workers {
    Index idle = 0;
    std::priority_queue<Ready> ready{};
  };

  bool has_shadow(const Task& task) const {
    return devices_ && task.contribution >= 0 && graph_.contribution[task.contribution].device >= 0;
  }
  bool is_on_device(const Task& task) const {
    if (takes_anything()) return devices_->anything->runs(task.kind);
    return has_shadow(task) && task.kind != TaskKind::reduce;
  }
  bool takes_anything() const { return devices_ && devices_->anything != nullptr; }

  static double bytes(Count entries) { return static_cast<double>(scalar.bytes_of(entries)); }

  /// Returns the seconds to copy the tile to the devices, or 0 if it is already there. Marks it as
  /// copied.
  double fetch(Index tile) {
    if (tile < 0 || is_there_[tile]) return 0;
    is_there_[tile] = true;
    return devices_->table.to.seconds(
        bytes(entries_of(devices_->structure, graph_.tiling.tile[tile])));
  }

  double travel_seconds(const Task& task) {
    if (takes_anything()) return fetch(task.left) + fetch(task.right) + fetch(task.target);
    if (!has_shadow(task)) return 0;
    if (task.kind == TaskKind::reduce) {
      return devices_->table.back.seconds(
          bytes(graph_.entries_of(devices_->structure, graph_.contribution[task.contribution])));
    }
    return fetch(task.left) + fetch(task.right);
  }

  double run_seconds(const Task& task) const {
    if (!is_on_device(task)) return task.seconds + overhead_ - lock_;
    if (takes_anything()) return devices_->anything->of(task, graph_, devices_->structure);
    if (task.kind != TaskKind::update) return task.seconds + devices_->table.task;
    return devices_->table.task + update_seconds(devices_->kernels, graph_, task);
  }

  void make_ready(Index t) {
    const Task& task = graph_.task[t];
    if (!has_shadow(task) && !is_on_device(task)) {
      return resources_[host].ready.push({task.priority, t, running});
    }
    const Resource carrier = devices_->table.overlaps ? link : device;
    resources_[carrier].ready.push({task.priority, t, travelling});
  }

  /// Returns the time when a worker that asks now has taken a task. Workers take tasks in turn.
  double after_lock(double now) {
    unlocked_ = std::max(unlocked_, now) + lock_;
    return unlocked_;
  }

  void start_on(Resource resource, double now) {
    auto& [idle, ready] = resources_[resource];
    for (; idle > 0 && !ready.empty(); --idle) {
      const Ready next = ready.top();
      ready.pop();
      const Task& task = graph_.task[next.task];
      const double begin = resource == host ? after_lock(now) : now;
      const double seconds = next.stage == travelling ? travel_seconds(task) : run_seconds(task);
      in_progress_.push({begin + seconds, next.task, next.stage, resource});
    }
  }

  void finish_next() {
    const Running ended = in_progress_.top();
    in_progress_.pop();
    ++resources_[ended.resource].idle;
    if (ended.stage == travelling) {
      const Task& task = graph_.task[ended.task];
      const Resource resource = is_on_device(task) ? device : host;
      return resources_[resource].ready.push({task.priority, ended.task, running});
    }
    for (const Index next : graph_.successors(ended.task)) {
      if (--waiting_for_[next] == 0) make_ready(next);
    }
  }

  const TaskGraph& graph_;
  double overhead_;
  double lock_;          ///< part of the overhead that a worker spends with the lock of the policy
  double unlocked_ = 0;  ///< time when the last worker releases the lock
  const DeviceShare* devices_;
  std::vector<Index> waiting_for_;
  std::vector<bool> is_there_;  ///< tiles that have been copied to the devices
  std::array<Workers, resource_count> resources_;
  std::priority_queue<Running> in_progress_;
};

}  // namespace

double predicted_makespan(const TaskGraph& graph, Index workers, double overhead,
                          const DeviceShare* devices) {
  return ListSchedule(graph, workers, overhead, devices).makespan();
}

namespace {

/// Seconds of one task if all CPU workers share it (`here`), and if all processors of the devices
/// share it (`there`).
struct TaskTimes {
  double here;
  double there;
};

/// Returns the seconds until host and devices finish together. Each of `tasks` runs on either of
/// them, and at most one task is split between both. The host also has `here` seconds of work that
/// devices cannot run.
double balanced_seconds(double here, std::vector<TaskTimes>& tasks) {
  std::sort(tasks.begin(), tasks.end(), [](const TaskTimes& a, const TaskTimes& b) {
    return a.here * b.there > b.here * a.there;
  });
  for (const TaskTimes& task : tasks) here += task.here;
  double there = 0;
  for (const TaskTimes& task : tasks) {
    if (there + task.there > here - task.here) {
      const double share = (here - there) / (task.here + task.there);
      return here - std::max(share, 0.0) * task.here;
    }
    here -= task.here;
    there += task.there;
  }
  return here;
}

/// Returns whether devices may run the task. Devices never run a fill, because they do not have the
/// entries of A.
bool may_leave_host(const Task& task, const DeviceShare& devices) {
  if (devices.anything == nullptr) return task.kind == TaskKind::update;
  return task.kind != TaskKind::fill && devices.anything->runs(task.kind);
}

double seconds_there(const Task& task, const TaskGraph& graph, const DeviceShare& devices) {
  return devices.anything != nullptr ? devices.anything->of(task, graph, devices.structure)
                                     : update_seconds(devices.kernels, graph, task);
}

/// Returns least_seconds() with the host's seconds multiplied by `host`.
double least_work(const TaskGraph& graph, double host, const DeviceShare& devices) {
  std::vector<TaskTimes> either;
  double here = 0;
  for (const Task& task : graph.task) {
    const double seconds = task.seconds * host;
    if (may_leave_host(task, devices)) {
      either.push_back({seconds, seconds_there(task, graph, devices) / devices.processors});
    } else if (task.contribution < 0 || !graph.contribution[task.contribution].is_shadow()) {
      here += seconds;  // additions of shadows do not count: they exist only if updates are divided
    }
  }
  return balanced_seconds(here, either);
}

/// Returns least_path_seconds() with the host's seconds multiplied by `host`. `devices` may be
/// null.
double least_path(const TaskGraph& graph, double host, const DeviceShare* devices) {
  std::vector<double> seconds;
  seconds.reserve(graph.task.size());
  for (const Task& task : graph.task) {
    seconds.push_back(task.seconds * host);
    if (devices == nullptr || !may_leave_host(task, *devices)) continue;
    seconds.back() = std::min(seconds.back(), seconds_there(task, graph, *devices));
  }
  return critical_path(graph, seconds);
}

}  // namespace

double least_seconds(const TaskGraph& graph, Index workers, const DeviceShare& devices) {
  return least_work(graph, 1.0 / workers, devices);
}

double least_path_seconds(const TaskGraph& graph, const DeviceShare& devices) {
  return least_path(graph, 1, &devices);
}

double least_makespan(const TaskGraph& graph, Index workers, const HostLoad& load,
                      const DeviceShare* devices) {
  const double host = load.together / workers;
  const double path = least_path(graph, load.alone, devices);
  if (devices != nullptr) return std::max(path, least_work(graph, host, *devices));
  const double work =
      std::transform_reduce(graph.task.begin(), graph.task.end(), 0.0, std::plus<>(),
                            [](const Task& task) { return task.seconds; });
  return std::max(path, work * host);
}

double least_makespan(const DescribedGraph& graph, std::span<const Index> shares,
                      const Processors& on) {
  std::vector<double> fastest;
  std::vector<TaskTimes> either;
  double here = 0;
  const double host = on.load.together / on.workers;
  for (std::size_t t = 0; t < graph.task.size(); ++t) {
    const Shape& shape = graph.task[t].shape;
    fastest.push_back(shape.seconds * on.load.alone / shares[t]);
    if (on.devices > 0 && shape.device_seconds > 0) {
      fastest.back() = std::min(fastest.back(), shape.device_seconds);
      either.push_back({shape.seconds * host, shape.device_seconds / on.devices});
    } else {
      here += shape.seconds * host;
    }
  }
  return std::max(longest_path(graph, fastest), balanced_seconds(here, either));
}

}  // namespace espalier::internal
