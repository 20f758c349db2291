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
#include "report/process_record.hpp"
#include "report/width_report.hpp"
#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

namespace {

/// Data that the root gathers from every rank, except lists.
struct RankRecord : ProcessRecord {
  Count entries = 0;
  Count factor_bytes = 0;
  Count peak_rss_bytes = 0;
  Count window_bytes = 0;
  Traffic traffic;
  Count blocks_sent = 0;
  DirectTraffic direct;
};

RankRecord record_of(const RankView& rank) {
  const FactorState& state = rank.state;
  const NumericFactor& numeric = *state.numeric;
  return {internal::record_of({*state.starpu, rank.structure, numeric.plan(), state.cost,
                               state.history, numeric.factor_tasks()}),
          rank.entries,
          rank.factor_bytes,
          peak_resident_bytes(),
          numeric.pool().most_held(),
          rank.traffic,
          traffic_of(numeric.plan().graph, rank.structure).messages_sent,
          rank.direct};
}

RankReport report_of(const RankRecord& record) {
  RankReport rank;
  rank.cpu_workers = record.workers;
  Workspace::Tally all = record.done.host;
  all += record.done.devices;
  rank.task_seconds = all.seconds;
  rank.predicted_seconds = all.predicted_seconds;
  rank.entries = record.entries;
  rank.factor_bytes = record.factor_bytes;
  rank.peak_rss_bytes = record.peak_rss_bytes;
  rank.window_bytes = record.window_bytes;
  rank.messages = record.traffic.messages_sent;
  rank.bytes = record.traffic.bytes_sent;
  rank.blocks_sent = record.blocks_sent;
  rank.device_messages_sent = record.direct.messages_sent;
  rank.device_bytes_sent = record.direct.bytes_sent;
  rank.device_messages_received = record.direct.messages_received;
  rank.device_bytes_received = record.direct.bytes_received;
  if (record.plans_offload) record.planned.describe(rank.offload);
  rank.offload.bound_seconds = record.bound_seconds;
  record.done.describe(rank.offload);
  return rank;
}

/// Adds a report of each rank, and the sum of their messages.
void add_ranks(std::span<const RankRecord> all, Report& report) {
  for (const RankRecord& record : all) {
    report.distribution.messages += record.traffic.messages_sent;
    report.distribution.bytes += record.traffic.bytes_sent;
    report.distribution.blocks_sent += record.blocks_sent;
    report.ranks.push_back(report_of(record));
    report.ranks.back().rank = static_cast<Index>(report.ranks.size()) - 1;
  }
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

/// Returns on the root the warnings of all ranks, because each machine has its own files.
/// Collective.
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
  const FactorState& state = rank.state;
  const FactorPlan& plan = state.numeric->plan();
  Report here;
  describe_machine(*state.starpu, here);
  const std::vector<RankRecord> all = comm.gather_from_all(record_of(rank));
  const auto hosts = comm.gather(std::span<const char>(here.machine.host));
  const auto cores = comm.gather(std::span<const Index>(state.starpu->cores()));
  const auto costs =
      comm.gather(std::span<const char>(plan.offload ? plan.offload->source : std::string_view()));
  const std::vector<WidthReport> own =
      work_by_width(rank.structure, plan.graph.cut, state.cost, state.numeric->factor_tasks());
  const auto widths = comm.gather(std::span<const WidthReport>(own));
  const auto warnings = gather_warnings(comm, here.warnings);
  if (!comm.is_root()) return;
  report.machine = here.machine;
  report.machine.ranks = comm.size();
  report.scheduler = here.scheduler;
  for (const std::string& warning : warnings) add_warning(warning, report);
  add_ranks(all, report);
  if (plan.offload) report.offload.costs = plan.offload->source;
  for (std::size_t r = 0; r < all.size(); ++r) {
    report.ranks[r].host.assign(hosts[r].begin(), hosts[r].end());
    report.ranks[r].cores = cores[r];
    report.ranks[r].offload.costs.assign(costs[r].begin(), costs[r].end());
    add_widths(widths[r], report.widths);
  }
  report.distribution.task_imbalance = task_imbalance(report.ranks);
  describe_processes(std::vector<ProcessRecord>(all.begin(), all.end()), state.history, report);
}

namespace {

struct Run {
  Shape shape;
  TaskRecord record;
};

/// Data by rank for the schedule of all ranks.
struct Place {
  Index workers = 0;
  Index own_panels = 0;
  /// Time of the root's clock when the clock of the tasks showed 0.
  double clock = 0;
  double critical_path = 0;
};

/// Adds the runs of one rank, with the panel and worker numbers of all ranks together.
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

/// Adds the copies of one rank. `clock` is the time from the call of the factorization to the start
/// of the rank's clock, in seconds.
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
