// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "calibrate/machine.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "commands/commands.hpp"
#include "compare/comparison.hpp"
#include "espalier/error.hpp"
#include "perfmodels/cost_model.hpp"
#include "schedulers/configurations.hpp"
#include "schedulers/registry.hpp"
#include "simulate/output.hpp"
#include "simulate/simulator.hpp"
#include "solver/option_table.hpp"

namespace espalier::internal {

namespace {

struct SimulateSettings {
  std::string matrix;
  std::string machine;
  std::vector<Index> nodes{1};
  Index ranks_per_node = 1;
  std::vector<Index> workers;
  std::vector<Index> cuda_devices;
  std::vector<Index> coprocessors;
  std::string policies = default_scheduler;
  std::string configuration;  ///< of a paper; empty if there is none
  std::string report;
  std::string html;
  std::string trace;  ///< folder for the traces
  bool quiet = false;
  /// Command-line words that are passed on to the simulated program.
  std::vector<std::string> forwarded;
  /// Only for the limits and the help; the simulated program parses these options itself.
  Options options;
};

constexpr const char* simulate_notes = R"(Examples:
  espalier simulate laplace3d:50                         this machine, with all of its cores
  espalier simulate laplace3d:50 --machine epyc-64 --workers 1,2,4,8,16,32,64
  espalier simulate elasticity3d:40x40x40 --machine h100-8 --workers 16 --cuda-devices 1,2,4,8
  espalier simulate laplace3d:100 --machine cluster --nodes 1,2,4,8 --sched fanout,espalier,lws --html page.html
The analysis, the graph, the policy, StarPU and StarPU-MPI run for real. Kernels and transfers take the
time that the machine description gives. The analysis takes its measured time on this machine, scaled
by the speeds of both machines and divided among the simulated workers. A last line names the number
of cores beyond which no factorization was measured on such a machine. The table has for each case:
  time           simulated makespan of the factorization
  bound          lower bound of the makespan, from the work and the critical path
  efficiency     speed-up over the first case of the policy / ideal speed-up; with devices, per device
  idle, runtime  shares of the workers' time without a task, and in StarPU
  communication  longest time for which the messages of one rank keep a network link busy
  to solution    ordering, symbolic factorization, set-up, factorization, one solve and its residual
  longest phase  the phase among these that takes longest
Without --machine, the description that espalier calibrate --machine wrote of this machine is used.)";

MachineFile machine_of(const SimulateSettings& settings) {
  if (!settings.machine.empty()) return find_machine(settings.machine);
  OwnFile<MachineFile> own = this_machines_description();
  // Without a description there is no machine to simulate.
  if (!own.warning.empty()) throw InputError(own.warning);
  if (!own.content) {
    throw UsageError(
        "this machine is not described yet; run espalier calibrate --machine, or choose one with "
        "--machine NAME");
  }
  // The costs in the user's folder may be newer than the description, because solves refine them.
  const CostChoice costs = read_host_costs();
  if (costs.table != nullptr) own.content->costs.table = *costs.table;
  own.content->devices = calibrated_devices(own.content->cores);  // these may also be newer
  if (!settings.quiet) {
    print_warnings({costs.warning, read_device_costs("coprocessor").warning});
  }
  return std::move(*own.content);
}

/// Throws UsageError if the machine has too few cores or devices for the case. Throws
/// UnknownScheduler if the policy needs devices that the case does not have.
void expect_there(const SimulationCase& what, const MachineFile& machine) {
  expect_known_scheduler(what.policy.name, what.devices > 0);
  const Index beside = machine.one_machine ? what.ranks() : what.ranks_per_node;
  machine.expect_room(what.workers * what.ranks_per_node, what.architecture, what.devices * beside);
}

/// Returns all cases. Policies vary slowest, then nodes, then workers; devices vary fastest.
std::vector<SimulationCase> cases_of(const SimulateSettings& settings, const MachineFile& machine) {
  if (!settings.cuda_devices.empty() && !settings.coprocessors.empty()) {
    throw UsageError(
        "a simulation has CUDA devices or coprocessors; leave out --cuda-devices or "
        "--coprocessors");
  }
  const bool cuda = settings.coprocessors.empty();
  std::vector<Index> workers = settings.workers;
  if (workers.empty())
    workers.push_back(std::max<Index>(1, machine.cores / settings.ranks_per_node));
  std::vector<Index> devices = cuda ? settings.cuda_devices : settings.coprocessors;
  if (devices.empty()) devices.push_back(0);
  std::vector<SimulationCase> cases;
  for (const PolicyChoice& policy :
       parse_policies(settings.policies, std::ranges::max(devices) > 0)) {
    for (const Index nodes : settings.nodes) {
      for (const Index each : workers) {
        for (const Index beside : devices) {
          cases.push_back({policy, nodes, each, cuda ? "cuda" : "coprocessor", beside,
                           settings.ranks_per_node});
          expect_there(cases.back(), machine);
        }
      }
    }
  }
  return cases;
}

/// Returns the folder for the trace of a case. If there are several cases, each has its own folder.
std::string trace_folder(const SimulateSettings& settings, const SimulationCase& what,
                         std::size_t cases) {
  if (settings.trace.empty() || cases == 1) return settings.trace;
  const std::string devices = what.devices > 0 ? fmt::format("+{}", what.devices) : "";
  return fmt::format("{}/{}-{}x{}{}", settings.trace, what.policy.label, what.nodes, what.workers,
                     devices);
}

/// Returns the trace files of a case. The names are empty if no trace was requested.
std::array<std::string, 2> trace_files(const SimulateSettings& settings, const SimulationCase& what,
                                       std::size_t cases) {
  const std::string folder = trace_folder(settings, what, cases);
  if (folder.empty()) return {};
  return {folder + "/trace.json", folder + "/gantt.svg"};
}

/// Throws if an output cannot be created, or if two of the inputs and outputs are the same file.
void expect_outputs(const SimulateSettings& settings, const std::vector<SimulationCase>& cases) {
  std::vector<NamedPath> paths{{"MATRIX", settings.matrix},
                               {"--machine", settings.machine},
                               {"--report", settings.report},
                               {"--html", settings.html}};
  for (const std::string* path : {&settings.report, &settings.html}) expect_creatable(*path);
  for (const SimulationCase& what : cases) {
    for (const std::string& file : trace_files(settings, what, cases.size())) {
      expect_creatable(file, Folders::made);
      paths.push_back({"--trace", file});
    }
  }
  expect_different(paths);
}

void run(const SimulateSettings& settings) {
  const MachineFile machine = machine_of(settings);
  const std::vector<SimulationCase> cases = cases_of(settings, machine);
  expect_outputs(settings, cases);
  const Simulator simulator(machine, settings.forwarded);
  Progress progress(!settings.quiet);
  Outputs outputs;
  std::vector<SimulatedRun> runs;
  for (const SimulationCase& what : cases) {
    progress.begin(fmt::format("simulating {} on {} x {} workers", what.policy.label, what.nodes,
                               what.workers));
    runs.push_back(simulator.run(what, !settings.trace.empty()));
    progress.end();
    const auto [trace, gantt] = trace_files(settings, what, cases.size());
    add_text(
        outputs, trace, [&] { return std::move(runs.back().trace); }, Folders::made);
    add_text(
        outputs, gantt, [&] { return std::move(runs.back().gantt); }, Folders::made);
    if (settings.quiet) continue;
    if (runs.size() == 1) {
      fmt::print("{} on {}, simulated\n{}", printable(settings.matrix), printable(machine.name),
                 simulation_heading());
    }
    fmt::print("{}", simulation_line(runs.back(), efficiencies(runs).back()));
    std::fflush(stdout);
  }
  if (!settings.quiet) fmt::print("{}", validation_line(machine, runs));
  add_text(outputs, settings.report, [&] { return simulation_json(machine, runs); });
  add_text(outputs, settings.html, [&] { return simulation_page(machine, runs); });
  outputs.commit();
}

void add_configuration(CLI::App& command, SimulateSettings& settings) {
  const OptionRow& row = option_row(configuration_option);
  choose_from(
      command.add_option("--" + row.name, settings.configuration, row.help)->type_name(row.symbol),
      row.words);
}

/// Chooses the policy of the configuration, or passes its other options on to runs with the
/// policies that the user names. Throws UsageError if these name a configuration, too.
void follow_configuration(SimulateSettings& settings, bool names_policies) {
  if (settings.configuration.empty()) return;
  const std::string option(configuration_option);
  if (!names_policies) {
    settings.policies = option + "=" + settings.configuration;
    return;
  }
  if (("," + settings.policies).find("," + option + "=") != std::string::npos) {
    throw UsageError("--as and --sched both name the configuration of a paper; leave one out");
  }
  settings.forwarded.insert(settings.forwarded.end(), {"--" + option, settings.configuration});
}

/// Adds only the options that the simulated program reads.
void add_forwarded(CLI::App& command, SimulateSettings& settings) {
  add_analysis_options(command, settings.options);
  add_task_options(command, settings.options);
}

}  // namespace

Command add_simulate(CLI::App& program, std::vector<std::string> line) {
  auto settings = std::make_shared<SimulateSettings>();
  CLI::App* const command = program.add_subcommand(
      "simulate", "Predict the times on another machine, by running the program inside SimGrid.");
  add_matrix(*command, settings->matrix);
  add_machine(*command, settings->machine, "this machine");
  add_numbers(*command, "nodes", "N,...", settings->nodes, {1, 1024}, "numbers of nodes");
  add_number(*command, "ranks-per-node", "R", settings->ranks_per_node, {1, 64},
             "number of ranks on each node, which share its cores and its network link");
  add_numbers(*command, "workers", "W,...", settings->workers, {1, 256},
              "numbers of CPU workers per rank; without it all cores");
  add_numbers(*command, "cuda-devices", "G,...", settings->cuda_devices, {0, 16},
              "numbers of CUDA devices per rank; without it none");
  add_numbers(*command, "coprocessors", "C,...", settings->coprocessors, {0, 16},
              "numbers of coprocessors per rank; without it none");
  suggest(command
              ->add_option("--sched", settings->policies,
                           "policies, separated by commas; NAME:KEY=VALUE:... sets options of a "
                           "policy; as=NAME: the configuration of a paper")
              ->type_name("NAMES")
              ->capture_default_str(),
          {Suggestions::Kind::list, {}, true});
  add_configuration(*command, *settings);
  const std::size_t own = command->get_options().size();
  add_forwarded(*command, *settings);
  const std::vector<CLI::Option*> forwarded = options_of_runs_after(*command, own);
  command->add_option("--html", settings->html, "write a web page with charts of time over cores")
      ->type_name("FILE");
  command
      ->add_option(
          "--trace", settings->trace,
          "write trace.json and gantt.svg into this folder; several cases get one subfolder each")
      ->type_name("DIR");
  add_output_options(*command, settings->report, settings->quiet);
  command->footer(simulate_notes);
  return {command, [settings, forwarded, command, words = std::move(line)] {
            settings->forwarded = words_that_give(forwarded, words);
            settings->forwarded.insert(settings->forwarded.begin(), settings->matrix);
            follow_configuration(*settings, command->count("--sched") > 0);
            run(*settings);
          }};
}

}  // namespace espalier::internal
