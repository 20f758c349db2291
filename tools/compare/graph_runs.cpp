// SPDX-License-Identifier: BSD-3-Clause
#include "compare/graph_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/readable.hpp"
#include "espalier/error.hpp"
#include "espalier/espalier.hpp"
#include "report/graph_reader.hpp"
#include "simulate/ideal_machine.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

bool has_times_on(const DescribedGraph& graph, const std::string& architecture) {
  const auto& times = graph.origin.times;
  return std::ranges::find(times, architecture, &GraphOrigin::Times::architecture) != times.end();
}

/// Returns the variable that names a library with policies, if the user has set it.
std::vector<std::string> policy_library() {
  const char* const library = std::getenv("STARPU_SCHED_LIB");
  if (library == nullptr) return {};
  return {std::string("STARPU_SCHED_LIB=") + library};
}

double share_left(double busy, double seconds, Index processors) {
  return processors > 0 ? std::max(0.0, 1 - busy / (seconds * processors)) : 0;
}

}  // namespace

GraphReplay::GraphReplay(std::string file, const std::string& machine)
    : file_(std::move(file)), graph_(read_graph(file_)) {
  if (!machine.empty()) machine_ = find_machine(machine);
}

std::string GraphReplay::machine_name() const {
  return machine_ ? machine_->name : "an ideal machine";
}

void GraphReplay::expect_possible(const GraphCase& what) const {
  if (!what.policy.configuration.empty()) {
    throw UsageError(
        what.policy.label +
        " also chooses the ordering and the tasks, but a graph has its own tasks; name "
        "a policy instead");
  }
  expect_known_scheduler(what.policy.name, what.devices > 0);
  if (machine_) machine_->expect_room(what.workers, what.architecture, what.devices);
  if (what.devices == 0 || has_times_on(graph_, what.architecture)) return;
  throw UsageError(fmt::format(
      "the graph {} has no times on {} devices; make it on a machine where espalier calibrate has "
      "measured them, or leave out the devices",
      file_, what.architecture));
}

GraphRun GraphReplay::run(const GraphCase& what) const {
  const MachineFile machine = machine_
                                  ? machine_->with_devices(what.architecture, what.devices)
                                  : ideal_machine(what.workers, what.architecture, what.devices);
  const MachineFolder folder(machine, 1, what.workers);
  std::vector<std::string> words{"--graph", file_};
  if (what.devices > 0) words.insert(words.end(), {"--architecture", what.architecture});
  std::vector<std::string> variables = variables_of(machine);
  const auto append = [](std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  append(words, {"--workers", std::to_string(what.workers)});
  append(words, what.policy.words());
  append(variables, policy_library());
  if (!machine_) append(variables, variables_without_overhead());
  const Json report = Json::parse(process_.run(folder, 1, words, variables));
  GraphRun run;
  run.of = what;
  report.at("scheduler").get_to(run.active);
  report.at("makespan_seconds").get_to(run.seconds);
  report.at("bound_seconds").get_to(run.bound);
  run.idle_share = share_left(report.at("busy_seconds"), run.seconds, what.workers);
  run.device_idle_share = share_left(report.at("device_busy_seconds"), run.seconds, what.devices);
  return run;
}

std::string heading_of(const GraphReplay& replay) {
  const DescribedGraph& graph = replay.graph();
  return fmt::format("{}: {} tasks, {} edges, on {}, simulated\n", printable(graph.origin.matrix),
                     graph.size(), graph.successor.size(), printable(replay.machine_name()));
}

std::string table_of(std::span<const GraphRun> runs) {
  const auto best = std::ranges::min(runs, {}, &GraphRun::seconds).seconds;
  std::string text =
      fmt::format("{:<20}{:>8}{:>9}{:>12}{:>10}{:>12}{:>13}{:>9}{:>14}\n", "policy", "workers",
                  "devices", "makespan", "to best", "bound", "bound ratio", "idle", "devices idle");
  for (const GraphRun& run : runs) {
    text +=
        fmt::format("{:<20}{:>8}{:>9}{:>12}{:>10.3f}{:>12}{:>13.3f}{:>7.1f} %{:>12.1f} %\n",
                    run.of.policy.label, run.of.workers, run.of.devices,
                    readable_seconds(run.seconds), run.seconds / best, readable_seconds(run.bound),
                    run.seconds / run.bound, 100 * run.idle_share, 100 * run.device_idle_share);
  }
  return text;
}

std::string json_of(const GraphReplay& replay, std::span<const GraphRun> runs) {
  const DescribedGraph& graph = replay.graph();
  Json list = Json::array();
  for (const GraphRun& run : runs) {
    list.push_back({{"policy", run.of.policy.label},
                    {"active", run.active},
                    {"workers", run.of.workers},
                    {"devices", run.of.devices},
                    {"architecture", run.of.devices > 0 ? run.of.architecture : ""},
                    {"makespan_seconds", run.seconds},
                    {"bound_seconds", run.bound},
                    {"bound_ratio", run.seconds / run.bound},
                    {"idle_share", run.idle_share},
                    {"device_idle_share", run.device_idle_share}});
  }
  const Json json{{"espalier", version()},
                  {"graph",
                   {{"program", graph.origin.program},
                    {"matrix", graph.origin.matrix},
                    {"tasks", graph.size()},
                    {"edges", graph.successor.size()}}},
                  {"machine", replay.machine_name()},
                  {"runs", list}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace espalier::internal
