// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"

namespace espalier::internal {

/// Returns whether this is the name of a kind of tasks of the solver.
bool is_kind(std::string_view name);

/// Returns the kinds of a schedule's tasks, in the order of the factorization. Tasks of an
/// application have other names, which follow in alphabetical order.
std::vector<std::string> kinds_in(const Schedule& schedule);

/// The workers begin ... end - 1.
struct WorkerRange {
  Index begin;
  Index end;
};

/// Returns the rank of a worker, 0 if there is only one rank.
Index rank_of(Index worker, const Schedule& schedule);

/// Returns the workers of a rank.
WorkerRange workers_of_rank(Index rank, const Schedule& schedule);

/// Returns a name such as "worker 3" or, with several ranks, "rank 1, worker 0".
std::string worker_name(Index worker, const Schedule& schedule);

/// Returns the workers that ran a task: all workers of its rank if it had one slice per worker,
/// else the recorded worker.
WorkerRange workers_of(const TaskRun& task, const Schedule& schedule);

/// Copies between the host and a device of a rank, in one direction. Copies from one device to
/// another count as copies to the second one.
struct CopyDirection {
  Index rank = 0;
  Index device = 0;  ///< counted from 1
  bool is_to_device = false;

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler writes the 0
  auto operator<=>(const CopyDirection&) const = default;
};
CopyDirection direction_of(const CopyRun& copy);

/// Returns "to device 1" or "from device 1".
std::string name_of(const CopyDirection& direction);

/// Returns the directions of all copies, ascending.
std::vector<CopyDirection> copy_directions(const Schedule& schedule);

/// Returns the seconds in tasks: seconds[worker][k] for the k-th of `kinds`.
std::vector<std::vector<double>> work_by_worker(const Schedule& schedule,
                                                const std::vector<std::string>& kinds);

/// Numbers of tasks whose time t lies in [edge[i], edge[i+1]): count[i][k] for the k-th of `kinds`.
struct Durations {
  std::vector<double> edge;
  std::vector<std::vector<Count>> count;
};

/// Counts tasks in classes of a third of a power of ten, from the class of the shortest task to
/// that of the longest one.
Durations durations_of(const Schedule& schedule, const std::vector<std::string>& kinds);

/// Minimum time of a task in logarithmic charts, in seconds. Shorter tasks count as this long,
/// because the clock cannot measure them.
inline constexpr double shortest_seconds = 1e-7;

}  // namespace espalier::internal
