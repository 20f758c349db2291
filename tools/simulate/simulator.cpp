// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulator.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/graph_search.hpp"
#include "launch/child.hpp"
#include "simulate/machine_folder.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

SimulatedPhase computed(const std::string& name, const Json& seconds, const Json& work) {
  return {name, seconds, work.at("seconds"), work.at("span_seconds")};
}

std::vector<SimulatedPhase> phases_of(const Json& report) {
  const Json& ordering = report.at("ordering");
  const Json& symbolic = report.at("symbolic");
  const Json& factor = report.at("factor");
  const Json& solve = report.at("solve");
  return {computed("ordering", ordering.at("seconds"), ordering.at("work")),
          computed("symbolic", symbolic.at("seconds"), symbolic.at("work")),
          computed("setup", factor.at("setup_seconds"), factor.at("setup_work")),
          {"factor", factor.at("seconds")},
          {"solve", solve.at("seconds")},
          {"residual", solve.at("residual_seconds")}};
}

/// Returns the tasks that StarPU got per task of the report: less than 1 if it got them in batches.
double submitted_per_task(const Json& report) {
  double tasks = 0;
  for (const Json& kind : report.at("kinds")) tasks += kind.at("count").get<double>();
  return tasks > 0 ? report.at("tasks").at("submitted").get<double>() / tasks : 1;
}

SimulatedRun summary_of(const Json& report, const SimulationCase& what,
                        const MachineFile& machine) {
  SimulatedRun run;
  run.of = what;
  run.phases = phases_of(report);
  run.seconds = report.at("factor").at("seconds");
  run.bound = report.at("factor").at("bound_seconds");
  const double all = run.seconds * what.ranks() * (what.workers + what.devices);
  const double of_devices = run.seconds * what.ranks() * std::max(what.devices, 1);
  const double device_task = what.devices > 0 ? machine.devices.front().costs.task : 0;
  const double host_task = machine.costs.table.task * submitted_per_task(report);
  double beside_kernels = 0;
  double flops = 0;
  double device_flops = 0;
  for (const Json& kind : report.at("kinds")) {
    const auto seconds = kind.at("seconds").get<double>();
    run.busy_share += seconds / all;
    flops += kind.at("flops").get<double>();
    const bool on_cpu = kind.at("worker") == "cpu";
    beside_kernels += kind.at("count").get<double>() * (on_cpu ? host_task : device_task);
    if (!on_cpu) {
      run.device_busy_share += seconds / of_devices;
      device_flops += kind.at("flops").get<double>();
    }
  }
  run.device_flops_share = flops > 0 ? device_flops / flops : 0;
  run.runtime_share = std::min(1 - run.busy_share, beside_kernels / all);
  run.idle_share = 1 - run.busy_share - run.runtime_share;
  for (const Json& rank : report.at("ranks")) {
    const double seconds = rank.at("messages").get<double>() * machine.network.latency +
                           rank.at("bytes").get<double>() * machine.network.byte;
    run.communication_seconds = std::max(run.communication_seconds, seconds);
  }
  return run;
}

}  // namespace

double SimulatedRun::time_to_solution() const {
  return std::accumulate(
      phases.begin(), phases.end(), 0.0,
      [](double sum, const SimulatedPhase& phase) { return sum + phase.seconds; });
}

const SimulatedPhase& SimulatedRun::longest_phase() const {
  return *std::ranges::max_element(phases, {}, &SimulatedPhase::seconds);
}

Simulator::Simulator(MachineFile machine, std::vector<std::string> arguments)
    : machine_(std::move(machine)), arguments_(std::move(arguments)) {
  machine_.analysis_scale = machine_.analysis_scale_on(graph_search_seconds());
}

SimulatedRun Simulator::run(const SimulationCase& what, bool traced) const {
  const MachineFile machine = machine_.seen_by_each(what.nodes, what.ranks_per_node)
                                  .with_devices(what.architecture, what.devices);
  const MachineFolder folder(machine, what.nodes, what.workers, what.ranks_per_node);
  std::vector<std::string> words = arguments_;
  words.insert(words.end(), {"--workers", std::to_string(what.workers)});
  std::ranges::move(what.policy.words(), std::back_inserter(words));
  if (traced) words.insert(words.end(), {"--trace", folder.path()});
  std::string report = process_.run(folder, what.ranks(), words, variables_of(machine));
  SimulatedRun run = summary_of(Json::parse(report), what, machine);
  run.report = std::move(report);
  if (traced) {
    run.trace = content_of(folder.file("trace.json"));
    run.gantt = content_of(folder.file("gantt.svg"));
  }
  return run;
}

}  // namespace espalier::internal
