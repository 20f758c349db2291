// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <utility>

#include "base/caught_error.hpp"
#include "espalier/error.hpp"
#include "launch/child.hpp"
#include "simulate/machine_folder.hpp"

namespace espalier::internal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* library_name = "libespalier_simulated.so";

/// Returns the path of the simulator library: named by ESPALIER_SIMULATOR, installed, or built with
/// this program.
std::string find_library() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::vector<fs::path> places{folder / "../lib/espalier" / library_name,
                               folder / "../simgrid" / library_name};
  if (const char* const named = std::getenv("ESPALIER_SIMULATOR")) places = {named};
  for (const fs::path& place : places) {
    if (fs::exists(place)) return fs::canonical(place);
  }
  throw UsageError(
      "the simulator is not built; run tools/setup.sh --simgrid, cmake --preset simgrid and cmake "
      "--build --preset simgrid, or set ESPALIER_SIMULATOR to its library");
}

/// Returns the line of the output that gives the reason of the end, or else the last line.
std::string reason_in(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("[abort]") != std::string::npos || line.find("Oops") != std::string::npos) {
      return line;
    }
    if (!line.empty()) last = line;
  }
  return last;
}

/// Throws the error of the simulated program, read from its output.
[[noreturn]] void fail(int code, const fs::path& output) {
  const std::string text = content_of(output);
  const std::string said = failure_in(text);
  constexpr int killed = 128 + SIGKILL;
  if (said.empty() && code == killed) {
    throw MemoryError(
        "the simulation was killed, probably because memory was full; simulate fewer nodes at a "
        "time, or a smaller problem");
  }
  if (said.empty()) {
    throw RuntimeFailure(
        fmt::format("the simulation ended with code {}: {}", code, reason_in(text)));
  }
  throw_error({static_cast<ErrorCode>(code), "simulated: " + said});
}

/// Returns the variables that StarPU reads. The machine's description contains all costs of a
/// device, so StarPU's constants for CUDA allocations and queues are set to 0.
///
/// If copies do not overlap with kernels, a device worker does not fetch data for the next task
/// while a task runs. It still serves copies that the host requests, like StarPU's drivers of
/// coprocessors. A pipeline of one task has this effect; without a pipeline such copies would wait
/// for the end of the task. These drivers also wait for each copy with the data locked, so
/// asynchronous copies are off.
std::vector<std::string> environment_of(const MachineFolder& folder, const MachineFile& machine) {
  std::vector<std::string> variables{
      fmt::format("STARPU_HOSTNAME={}", MachineFolder::host),
      fmt::format("STARPU_PERF_MODEL_DIR={}", folder.sampling().string()),
      fmt::format("ESPALIER_SIMULATED_MACHINE={}", folder.machine().string()),
      "STARPU_SIMGRID_CUDA_MALLOC_COST=0", "STARPU_SIMGRID_CUDA_QUEUE_COST=0"};
  if (!machine.devices.empty() && !machine.devices.front().costs.overlaps) {
    variables.emplace_back("STARPU_CUDA_PIPELINE=1");
    variables.emplace_back("STARPU_DISABLE_ASYNCHRONOUS_COPY=1");
  }
  return variables;
}

/// Settings of SimGrid.
///
/// - The network has no corrections for TCP or SMPI. They would multiply the latency of long
///   messages and of copies to devices by 12.
/// - Real computations take no virtual time.
/// - Each rank has a copy of the program's variables.
/// - No message is detached from its sender. SimGrid 3.32 searches for each detached message among
///   all earlier messages of both ends.
constexpr std::array settings{"--cfg=smpi/privatization:dlopen",
                              "--cfg=smpi/simulate-computation:no",
                              "--cfg=contexts/stack-size:8192",
                              "--cfg=network/TCP-gamma:-1",
                              "--cfg=network/latency-factor:1",
                              "--cfg=network/bandwidth-factor:1",
                              "--cfg=smpi/lat-factor:0:1",
                              "--cfg=smpi/bw-factor:0:1",
                              "--cfg=network/crosstraffic:0",
                              "--cfg=network/weight-S:0.0",
                              "--cfg=smpi/send-is-detached-thresh:0",
                              "--log=root.thres:critical"};

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

SimulatedRun summary_of(const Json& report, const SimulationCase& what,
                        const MachineFile& machine) {
  SimulatedRun run;
  run.of = what;
  run.phases = phases_of(report);
  run.seconds = report.at("factor").at("seconds");
  run.bound = report.at("factor").at("bound_seconds");
  const double all = run.seconds * what.nodes * (what.workers + what.devices);
  const double of_devices = run.seconds * what.nodes * std::max(what.devices, 1);
  const double device_task = what.devices > 0 ? machine.devices.front().costs.task : 0;
  double beside_kernels = 0;
  double flops = 0;
  double device_flops = 0;
  for (const Json& kind : report.at("kinds")) {
    const auto seconds = kind.at("seconds").get<double>();
    run.busy_share += seconds / all;
    flops += kind.at("flops").get<double>();
    const bool on_cpu = kind.at("worker") == "cpu";
    beside_kernels +=
        kind.at("count").get<double>() * (on_cpu ? machine.costs.table.task : device_task);
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
    : machine_(std::move(machine)), arguments_(std::move(arguments)), library_(find_library()) {}

SimulatedRun Simulator::run(const SimulationCase& what, bool traced) const {
  const MachineFile machine =
      machine_.seen_by_each(what.nodes).with_devices(what.architecture, what.devices);
  const MachineFolder folder(machine, what.nodes, what.workers);
  const fs::path result = folder.file("report.json");
  std::vector<std::string> words{
      "smpirun",         "-platform", folder.platform(),         "-hostfile",
      folder.hostfile(), "-np",       std::to_string(what.nodes)};
  words.insert(words.end(), settings.begin(), settings.end());
  words.push_back(library_);
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  words.insert(words.end(), {"--workers", std::to_string(what.workers), "--report", result});
  std::ranges::move(what.policy.words(), std::back_inserter(words));
  if (traced) words.insert(words.end(), {"--trace", folder.path()});
  const fs::path output = folder.file("output");
  const Child child(std::move(words),
                    Environment(environment_of(folder, machine), Environment::Starpu::left_out),
                    output, "run tools/setup.sh --simgrid");
  const int code = wait_unless_interrupted(child, [&] { folder.remove(); });
  if (code != 0 || !fs::exists(result)) fail(code, output);
  std::string report = content_of(result);
  SimulatedRun run = summary_of(Json::parse(report), what, machine);
  run.report = std::move(report);
  if (traced) {
    run.trace = content_of(folder.file("trace.json"));
    run.gantt = content_of(folder.file("gantt.svg"));
  }
  return run;
}

}  // namespace espalier::internal
