// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/rank_report.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.hpp"
#include "graph/task_graph.hpp"
#include "report/offload_report.hpp"
#include "report/width_report.hpp"
#include "runtime/mpi/communicator.hpp"
#include "runtime/starpu/coprocessor.hpp"

namespace espalier::internal {

namespace {

/// What the root asks every rank for, but for lists.
struct Figures {
  std::array<Count, task_kinds> tasks{};
  FactorHistory::Tally fastest{};
  FactorHistory::Tally fastest_coprocessor{};
  FactorHistory::Tally fastest_cuda{};
  QueueTallies fastest_queues{};
  QueueSizes fastest_queue_sizes;
  std::array<Workspace::Tally, 3> solves{};
  double predicted_seconds = 0;
  PredictionError error;
  Index workers = 0;
  Index coprocessors = 0;  ///< their workers
  Index coprocessor_threads = 0;
  Index cuda_workers = 0;
  Index cuda_devices = 0;
  Count entries = 0;
  Count factor_bytes = 0;
  Count peak_rss_bytes = 0;
  Count window_bytes = 0;
  Traffic traffic;
  DirectTraffic direct;
  bool plans_offload = false;
  PlannedOffload planned;
  double bound_seconds = 0;
  OffloadDone done;
};

double flops_of(const TaskGraph& graph) {
  return std::accumulate(graph.task.begin(), graph.task.end(), 0.0,
                         [](double sum, const Task& task) { return sum + task.flops; });
}

PlannedOffload planned_by(const FactorPlan& plan) {
  if (!plan.offload) return {};
  return {plan.offload->flops, plan.offload->unlimited, flops_of(plan.graph), plan.offload_seconds,
          plan.device_bytes.most};
}

Figures figures_of(const RankView& rank) {
  const FactorPlan& plan = rank.state.numeric->plan();
  return {
      plan.graph.counts(),
      rank.state.history.fastest,
      rank.state.history.fastest_coprocessor,
      rank.state.history.fastest_cuda,
      rank.state.history.fastest_queues,
      rank.state.history.fastest_queue_sizes,
      rank.state.history.solves,
      plan.predicted_seconds,
      prediction_error(rank.state.numeric->factor_tasks()),
      rank.state.starpu->cpu_workers(),
      rank.state.starpu->coprocessor_workers(),
      rank.state.starpu->coprocessor_workers() * threads_of_coprocessor_worker(),
      rank.state.starpu->cuda_workers(),
      rank.state.starpu->cuda_devices(),
      rank.entries,
      rank.factor_bytes,
      peak_resident_bytes(),
      rank.state.numeric->window().most_held(),
      rank.traffic,
      rank.direct,
      plan.offload.has_value(),
      planned_by(plan),
      bound_of(plan, rank.structure, rank.state.cost, *rank.state.starpu),
      offload_done(rank.state.history, plan, rank.structure, rank.state.cost, *rank.state.starpu)};
}

RankReport report_of(const Figures& figures) {
  RankReport rank;
  rank.cpu_workers = figures.workers;
  Workspace::Tally all = figures.done.host;
  all += figures.done.devices;
  rank.task_seconds = all.seconds;
  rank.predicted_seconds = all.predicted_seconds;
  rank.entries = figures.entries;
  rank.factor_bytes = figures.factor_bytes;
  rank.peak_rss_bytes = figures.peak_rss_bytes;
  rank.window_bytes = figures.window_bytes;
  rank.messages = figures.traffic.messages_sent;
  rank.bytes = figures.traffic.bytes_sent;
  rank.device_messages_sent = figures.direct.messages_sent;
  rank.device_bytes_sent = figures.direct.bytes_sent;
  rank.device_messages_received = figures.direct.messages_received;
  rank.device_bytes_received = figures.direct.bytes_received;
  if (figures.plans_offload) figures.planned.describe(rank.offload);
  rank.offload.bound_seconds = figures.bound_seconds;
  figures.done.describe(rank.offload);
  return rank;
}

/// Sums of all ranks, and the entry of each.
void add_ranks(const std::vector<Figures>& all, Report& report) {
  PredictionError error;
  OffloadDone done;
  report.machine.cpu_workers = 0;
  report.machine.coprocessor_workers = 0;
  report.machine.coprocessor_threads = 0;
  report.machine.cuda_workers = 0;
  report.machine.cuda_devices = 0;
  for (const Figures& figures : all) {
    add_counts(figures.tasks, report);
    done += figures.done;
    error.off += figures.error.off;
    error.measured += figures.error.measured;
    report.symbolic.predicted_factor_seconds =
        std::max(report.symbolic.predicted_factor_seconds, figures.predicted_seconds);
    report.offload.bound_seconds = std::max(report.offload.bound_seconds, figures.bound_seconds);
    report.machine.cpu_workers += figures.workers;
    report.machine.coprocessor_workers += figures.coprocessors;
    report.machine.coprocessor_threads += figures.coprocessor_threads;
    report.machine.cuda_workers += figures.cuda_workers;
    report.machine.cuda_devices += figures.cuda_devices;
    report.distribution.messages += figures.traffic.messages_sent;
    report.distribution.bytes += figures.traffic.bytes_sent;
    report.ranks.push_back(report_of(figures));
    report.ranks.back().rank = static_cast<Index>(report.ranks.size()) - 1;
  }
  report.tasks.prediction_error = error.relative();
  done.describe(report.offload);
}

/// Adds what all ranks together plan; all plan or none.
void add_planned_offload(const std::vector<Figures>& all, Report& report) {
  PlannedOffload sum{.all = report.symbolic.flops};
  for (const Figures& figures : all) {
    sum.devices += figures.planned.devices;
    sum.unlimited += figures.planned.unlimited;
    sum.seconds = std::max(sum.seconds, figures.planned.seconds);
    sum.bytes = std::max(sum.bytes, figures.planned.bytes);
  }
  if (all.front().plans_offload) sum.describe(report.offload);
}

double task_imbalance(const std::vector<RankReport>& ranks) {
  double most = 0;
  double sum = 0;
  for (const RankReport& rank : ranks) {
    most = std::max(most, rank.task_seconds);
    sum += rank.task_seconds;
  }
  return sum > 0 ? most * static_cast<double>(ranks.size()) / sum : 1;
}

/// Whatever is no task counts as idle: workers wait for messages, too.
void sum_up(const std::vector<Figures>& all, Index workers, FactorHistory& history) {
  history.fastest = {};
  history.fastest_coprocessor = {};
  history.fastest_cuda = {};
  history.fastest_queues = {};
  history.fastest_queue_sizes = {};
  history.solves = {};
  for (const Figures& figures : all) {
    for (std::size_t kind = 0; kind < task_kinds; ++kind) {
      history.fastest[kind] += figures.fastest[kind];
      history.fastest_coprocessor[kind] += figures.fastest_coprocessor[kind];
      history.fastest_cuda[kind] += figures.fastest_cuda[kind];
    }
    for (std::size_t queue = 0; queue < history.fastest_queues.size(); ++queue) {
      history.fastest_queues[queue].tasks += figures.fastest_queues[queue].tasks;
      history.fastest_queues[queue].seconds += figures.fastest_queues[queue].seconds;
    }
    for (std::size_t type = 0; type < history.solves.size(); ++type) {
      history.solves[type] += figures.solves[type];
    }
  }
  history.fastest_time = {};
  if (history.factor_seconds.empty()) return;
  history.fastest_time.busy = sum_of(history.fastest).seconds +
                              sum_of(history.fastest_coprocessor).seconds +
                              sum_of(history.fastest_cuda).seconds;
  history.fastest_time.idle =
      std::max(0.0, history.fastest_seconds * workers - history.fastest_time.busy);
}

/// Returns the warnings of all ranks, on the root: each machine has files of its own. Collective.
std::vector<std::string> gather_warnings(const Communicator& comm,
                                         std::span<const std::string> own) {
  std::vector<char> lines;
  for (const std::string& warning : own) {
    lines.insert(lines.end(), warning.begin(), warning.end());
    lines.push_back('\n');
  }
  std::vector<std::string> all;
  for (const std::vector<char>& of_rank : comm.gather(std::span<const char>(lines))) {
    std::istringstream text(std::string(of_rank.begin(), of_rank.end()));
    for (std::string line; std::getline(text, line);) all.push_back(line);
  }
  return all;
}

}  // namespace

void describe_ranks(const RankView& rank, Report& report) {
  const Communicator& comm = rank.comm;
  Report here;
  describe_machine(*rank.state.starpu, here);
  const std::vector<Figures> all = comm.gather_from_all(figures_of(rank));
  const auto hosts = comm.gather(std::span<const char>(here.machine.host));
  const auto cores = comm.gather(std::span<const Index>(rank.state.starpu->cores()));
  const auto& offload = rank.state.numeric->plan().offload;
  const auto costs =
      comm.gather(std::span<const char>(offload ? offload->source : std::string_view()));
  const std::vector<WidthReport> own =
      work_by_width(rank.structure, rank.state.numeric->plan().graph.cut, rank.state.cost,
                    rank.state.numeric->factor_tasks());
  const auto widths = comm.gather(std::span<const WidthReport>(own));
  const auto warnings = gather_warnings(comm, here.warnings);
  if (!comm.is_root()) return;
  report.machine = here.machine;
  report.machine.ranks = comm.size();
  report.scheduler = here.scheduler;
  for (const std::string& warning : warnings) add_warning(warning, report);
  add_ranks(all, report);
  add_planned_offload(all, report);
  if (offload) report.offload.costs = offload->source;
  for (std::size_t r = 0; r < all.size(); ++r) {
    report.ranks[r].host.assign(hosts[r].begin(), hosts[r].end());
    report.ranks[r].cores = cores[r];
    report.ranks[r].offload.costs.assign(costs[r].begin(), costs[r].end());
    add_widths(widths[r], report.widths);
    all[r].fastest_queue_sizes.describe(static_cast<Index>(r), report);
  }
  report.distribution.task_imbalance = task_imbalance(report.ranks);
  FactorHistory history = rank.state.history;
  const auto& machine = report.machine;
  sum_up(all, machine.cpu_workers + machine.coprocessor_workers + machine.cuda_workers, history);
  history.describe(report);
}

namespace {

struct Run {
  Shape shape;
  TaskRecord record;
};

/// What places a rank's tasks among all others.
struct Place {
  Index workers = 0;
  Index own_panels = 0;
  double clock = 0;  ///< when that of the tasks showed 0, by the root's
  double critical_path = 0;
};

/// Adds the runs of one rank in the numbers of all.
void add_runs(const std::vector<Run>& runs, const Place& place, Index first_panel,
              Index first_shared, double begin, Schedule& schedule) {
  const auto number = [&](Index panel) {
    return panel < place.own_panels ? first_panel + panel : first_shared + panel - place.own_panels;
  };
  for (const Run& run : runs) {
    TaskRun task = run_of(run.shape, run.record);
    task.worker += schedule.workers;
    task.row = number(task.row);
    task.column = number(task.column);
    task.begin += place.clock - begin;
    task.end += place.clock - begin;
    schedule.idle_seconds -= (task.end - task.begin) * task.slices;
    schedule.tasks.push_back(std::move(task));
  }
  schedule.first_worker.push_back(schedule.workers);
  schedule.workers += place.workers;
  schedule.critical_path_seconds = std::max(schedule.critical_path_seconds, place.critical_path);
}

/// Adds the copies of one rank, whose clock showed 0 so many seconds after the call.
void add_copies(const std::vector<CopyRun>& copies, Index rank, double clock, Schedule& schedule) {
  for (CopyRun copy : copies) {
    copy.rank = rank;
    copy.begin += clock;
    copy.end += clock;
    schedule.copies.push_back(copy);
  }
}

}  // namespace

Schedule schedule_of_ranks(const RankView& rank, const Stopwatch& watch, double seconds) {
  const Communicator& comm = rank.comm;
  const double clock = rank.state.numeric->context().clock.begin() + behind_root(comm);
  const std::vector<Place> places =
      comm.gather_from_all(Place{rank.state.starpu->workers(), rank.structure.shared_begin, clock,
                                 critical_path(rank.state.numeric->plan().graph)});
  std::vector<Run> own;
  for (const BoundTask& task : rank.state.numeric->factor_tasks())
    own.push_back({task.shape, task.record});
  const auto runs = comm.gather(std::span<const Run>(own));
  const std::vector<CopyRun> own_copies = rank.state.numeric->recorder().factor_copies();
  const auto copies = comm.gather(std::span<const CopyRun>(own_copies));
  Schedule schedule;
  if (!comm.is_root()) return schedule;
  const Index first_shared =
      std::accumulate(places.begin(), places.end(), Index{0},
                      [](Index sum, const Place& place) { return sum + place.own_panels; });
  Index first_panel = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    add_runs(runs[r], places[r], first_panel, first_shared, watch.begin(), schedule);
    add_copies(copies[r], static_cast<Index>(r), places[r].clock - watch.begin(), schedule);
    first_panel += places[r].own_panels;
  }
  schedule.seconds = seconds;
  schedule.idle_seconds = std::max(0.0, schedule.idle_seconds + seconds * schedule.workers);
  std::stable_sort(schedule.tasks.begin(), schedule.tasks.end(),
                   [](const TaskRun& a, const TaskRun& b) { return a.begin < b.begin; });
  return schedule;
}

}  // namespace espalier::internal
