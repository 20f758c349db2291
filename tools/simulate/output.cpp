// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/readable.hpp"
#include "chart/charts.hpp"
#include "chart/page.hpp"
#include "chart/svg.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the number of processors that speed-ups refer to: devices if there are any, else
/// workers.
Index processors_of(const SimulatedRun& run) {
  return run.of.ranks() * (run.of.devices > 0 ? run.of.devices : run.of.workers);
}

/// Returns a name. Runs with the same name are compared with each other.
std::string name_of(const SimulatedRun& run) {
  return run.of.policy.label + (run.of.devices > 0 ? ", devices" : "");
}

Json json_of(const MachineFile& machine, const SimulatedRun& run, double efficiency) {
  Json json = Json::parse(run.report);
  json["simulated"] = {{"machine", machine.name},
                       {"policy", run.of.policy.label},
                       {"validated_cores", machine.validated_cores},
                       {"nodes", run.of.nodes},
                       {"ranks_per_node", run.of.ranks_per_node},
                       {"workers", run.of.workers},
                       {"time_to_solution_seconds", run.time_to_solution()},
                       {"longest_phase", run.longest_phase().name},
                       {"devices", run.of.devices},
                       {"device_busy_share", run.device_busy_share},
                       {"device_flops_share", run.device_flops_share},
                       {"makespan_seconds", run.seconds},
                       {"efficiency", efficiency},
                       {"idle_share", run.idle_share},
                       {"runtime_share", run.runtime_share},
                       {"communication_seconds", run.communication_seconds}};
  return json;
}

std::vector<Curve> curves_of(std::span<const SimulatedRun> runs) {
  std::vector<Curve> curves;
  for (const SimulatedRun& run : runs) {
    const std::string label = name_of(run);
    auto at = std::ranges::find(curves, label, &Curve::label);
    if (at == curves.end()) at = curves.insert(at, {label, {}});
    at->points.push_back({static_cast<double>(processors_of(run)), run.seconds});
  }
  return curves;
}

/// Returns the largest number of cores that the workers of a node keep busy.
Index busiest_node(std::span<const SimulatedRun> runs) {
  Index cores = 0;
  for (const SimulatedRun& run : runs) {
    cores = std::max(cores, run.of.workers * run.of.ranks_per_node);
  }
  return cores;
}

std::string readable_bound(const SimulatedRun& run) {
  return run.bound > 0 ? readable_seconds(run.bound) : "-";
}

std::string table_of(std::span<const SimulatedRun> runs) {
  const std::vector<double> efficiency = efficiencies(runs);
  std::string table =
      "<table>\n<tr><th>policy</th><th>nodes</th><th>workers each</th><th>time</th><th>bound</th>"
      "<th>efficiency</th><th>idle</th><th>runtime</th><th>communication</th>"
      "<th>devices each</th><th>busy</th></tr>\n";
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const SimulatedRun& r = runs[k];
    table += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{:.1f} "
        "%</td>"
        "<td>{:.1f} %</td><td>{}</td><td>{}</td><td>{:.1f} %</td></tr>\n",
        xml_text(r.of.policy.label), r.of.nodes, r.of.workers, readable_seconds(r.seconds),
        readable_bound(r), 100 * efficiency[k], 100 * r.idle_share, 100 * r.runtime_share,
        readable_seconds(r.communication_seconds), r.of.devices, 100 * r.device_busy_share);
  }
  return table + "</table>\n";
}

std::string phases_of(std::span<const SimulatedRun> runs) {
  std::string table = "<table>\n<tr><th>policy</th><th>nodes</th><th>workers each</th>";
  for (const SimulatedPhase& phase : runs.front().phases) {
    table += fmt::format("<th>{}</th>", phase.name);
  }
  table += "<th>time to solution</th></tr>\n";
  for (const SimulatedRun& r : runs) {
    table += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td>", xml_text(r.of.policy.label),
                         r.of.nodes, r.of.workers);
    for (const SimulatedPhase& phase : r.phases) {
      table += fmt::format("<td>{}</td>", readable_seconds(phase.seconds));
    }
    table += fmt::format("<td>{}</td></tr>\n", readable_seconds(r.time_to_solution()));
  }
  return table + "</table>\n";
}

std::string paragraph(const std::string& text) {
  return text.empty() ? "" : "<p>" + text + "</p>\n";
}

}  // namespace

std::vector<double> efficiencies(std::span<const SimulatedRun> runs) {
  std::vector<double> result;
  for (const SimulatedRun& run : runs) {
    const auto first = std::ranges::find_if(
        runs, [&](const SimulatedRun& other) { return name_of(other) == name_of(run); });
    result.push_back(first->seconds * processors_of(*first) / (run.seconds * processors_of(run)));
  }
  return result;
}

std::string simulation_heading() {
  return fmt::format("{:<14}{:>7}{:>9}{:>11}{:>11}{:>12}{:>9}{:>10}{:>15}{:>9}{:>8}{:>13}  {}\n",
                     "policy", "nodes", "workers", "time", "bound", "efficiency", "idle", "runtime",
                     "communication", "devices", "busy", "to solution", "longest phase");
}

std::string simulation_line(const SimulatedRun& run, double efficiency) {
  return fmt::format(
      "{:<14}{:>7}{:>9}{:>11}{:>11}{:>10.1f} %{:>7.1f} %{:>8.1f} %{:>15}{:>9}{:>6.1f} %{:>13}  "
      "{}\n",
      run.of.policy.label, run.of.nodes, run.of.workers, readable_seconds(run.seconds),
      readable_bound(run), 100 * efficiency, 100 * run.idle_share, 100 * run.runtime_share,
      readable_seconds(run.communication_seconds), run.of.devices, 100 * run.device_busy_share,
      readable_seconds(run.time_to_solution()), run.longest_phase().name);
}

std::string validation_line(const MachineFile& machine, std::span<const SimulatedRun> runs) {
  const Index cores = busiest_node(runs);
  if (cores <= machine.validated_cores) return "";
  const std::string beyond = machine.validated_cores > 0
                                 ? fmt::format(" beyond {} {}", machine.validated_cores,
                                               machine.validated_cores == 1 ? "core" : "cores")
                                 : "";
  return fmt::format(
      "not validated{}: no factorization was measured on such a machine with this number of "
      "workers\n",
      beyond);
}

std::string simulation_json(const MachineFile& machine, std::span<const SimulatedRun> runs) {
  const std::vector<double> efficiency = efficiencies(runs);
  Json list = Json::array();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    list.push_back(json_of(machine, runs[k], efficiency[k]));
  }
  const Json json = list.size() == 1 ? list[0] : Json{{"espalier", version()}, {"runs", list}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string simulation_page(const MachineFile& machine, std::span<const SimulatedRun> runs) {
  const Json report = Json::parse(runs.front().report);
  std::string body = fmt::format(
      "<p>{}: {} rows, {:.3g} operations. {}</p>\n",
      xml_text(report["matrix"]["name"].get<std::string>()), report["matrix"]["n"].get<Index>(),
      report["symbolic"]["flops"].get<double>(), xml_text(machine.provenance));
  body += figure(scaling_chart(curves_of(runs)),
                 "Simulated time of the factorization over the number of cores, or of devices if "
                 "there are any. Both axes are logarithmic; the thin lines show ideal scaling.");
  body += table_of(runs) + paragraph(validation_line(machine, runs)) +
          paragraph("Time of each phase from a matrix in memory to a solution:") + phases_of(runs);
  return html_page("Simulated on " + machine.name, body);
}

}  // namespace espalier::internal
