// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "commands/commands.hpp"
#include "espalier/error.hpp"
#include "launch/environment.hpp"
#include "perfmodels/cost_model.hpp"
#include "perfmodels/machine_file.hpp"
#include "reproduce/kernel_tables.hpp"
#include "reproduce/output.hpp"
#include "reproduce/paper.hpp"

namespace espalier::internal {

namespace {

struct ReproduceSettings : Options {
  std::string paper;
  std::vector<std::string> figures;
  std::vector<std::string> matrices;
  std::vector<Index> nodes;
  std::string html;
  std::string report;
  bool quiet = false;
  RunSettings runs;
};

constexpr const char* reproduce_notes = R"(Examples:
  espalier reproduce swcholesky --html page.html             all figures, on this machine
  espalier reproduce halo --figure 7,8
  espalier reproduce sympack --figure 7 --simulated perlmutter --nodes 1,2,4,8
Each figure is a table of runs of this program. The runs take turns, each in a separate process. Below
the table stand the results of the paper, and whether each claim of the paper holds for these numbers.
The runs use the matrices of --matrices. Without this option they use the matrices of the paper, if
the folder ESPALIER_MATRICES has them under their names in the SuiteSparse collection, or else similar
generated ones.
On this machine, coprocessors serve as devices. A simulated machine uses its CUDA devices, if it has
any.)";

/// Returns the machine for the runs, with the cases that figures may choose from.
Bench bench_on_machine(ReproduceSettings& settings, Runs& runs, const MachineFile* machine) {
  const Index cores = machine != nullptr ? machine->cores : expected_workers(0);
  Bench bench{.runs = runs,
              .workers = settings.runtime.workers > 0 ? settings.runtime.workers : cores};
  bench.devices =
      machine != nullptr && !machine->devices.empty() ? machine->devices.front().count : 0;
  bench.nodes = settings.nodes;
  const Index most = machine != nullptr && !machine->one_machine ? 8 : cores;
  for (Index count = 1; settings.nodes.empty() && count <= most; count *= 2) {
    bench.nodes.push_back(count);
  }
  std::ranges::sort(bench.nodes);
  bench.chosen = settings.matrices;
  return bench;
}

/// Gives the bench the kernel times of the machine.
void add_costs(Bench& bench, const MachineFile* machine, bool quiet) {
  if (machine != nullptr) {
    bench.costs = machine->costs.table;
    if (!machine->devices.empty()) bench.device_costs = machine->devices.front().costs;
    return;
  }
  const CostChoice here = read_host_costs();
  if (here.table != nullptr) bench.costs = *here.table;
  const DeviceChoice device = read_device_costs("coprocessor");
  if (device.table->measured()) bench.device_costs = *device.table;
  if (!quiet) print_warnings({here.warning, device.warning});
}

/// Returns measured kernel tables if a figure needs them and this machine has none yet, else null.
std::unique_ptr<KernelTables> tables_for(const std::vector<Item>& items, bool quiet) {
  if (std::ranges::none_of(items, &Item::needs_tables)) return nullptr;
  if (std::filesystem::exists(user_device_file("coprocessor"))) return nullptr;
  if (!quiet) fmt::print(stderr, "measuring kernels of the host and of a coprocessor\n");
  auto tables = std::make_unique<KernelTables>();
  if (!tables->failure().empty() && !quiet) {
    print_warnings({"kernels were not measured: " + tables->failure()});
  }
  return tables;
}

std::vector<Made> make_all(const std::vector<Item>& items, Bench& bench, bool quiet) {
  std::vector<Made> all;
  for (const Item& item : items) {
    all.push_back({item, {}});
    if (item.make != nullptr) all.back().figure = item.make(bench);
    if (quiet) continue;
    fmt::print("{}\n", text_of(all.back()));
    std::fflush(stdout);
  }
  return all;
}

void run(ReproduceSettings settings) {
  const Paper paper = find_paper(settings.paper);
  const std::vector<Item> items = choose_items(paper, settings.figures);
  std::vector<NamedPath> paths{{"--html", settings.html}, {"--report", settings.report}};
  for (const std::string& matrix : settings.matrices) paths.push_back({"--matrices", matrix});
  paths.push_back({"--simulated", settings.runs.machine});
  expect_different(paths);
  for (const std::string* path : {&settings.report, &settings.html}) expect_creatable(*path);
  std::optional<MachineFile> machine;
  if (!settings.runs.machine.empty()) machine = find_machine(settings.runs.machine);
  settings.runs.has_cuda = machine && machine->count_of("cuda") > 0;
  const auto tables = machine ? nullptr : tables_for(items, settings.quiet);
  Progress progress(!settings.quiet);
  Runs runs(settings.runs, progress);
  Bench bench = bench_on_machine(settings, runs, machine ? &*machine : nullptr);
  add_costs(bench, machine ? &*machine : nullptr, settings.quiet);
  bench.coarse = tables != nullptr;
  const std::vector<Made> all = make_all(items, bench, settings.quiet);
  const std::string failure = runs.failure_of_all();
  if (!failure.empty()) throw RuntimeFailure("no run succeeded; the first one failed: " + failure);
  if (!settings.quiet) fmt::print("{}", overview_of(all, runs.simulated()));
  const std::string& where = settings.runs.machine;
  Outputs outputs;
  add_text(outputs, settings.report, [&] { return reproduction_json(paper, where, all); });
  add_text(outputs, settings.html, [&] { return reproduction_page(paper, where, all); });
  outputs.commit();
}

}  // namespace

Command add_reproduce(CLI::App& program) {
  auto settings = std::make_shared<ReproduceSettings>();
  CLI::App* const command = program.add_subcommand(
      "reproduce", "Repeat the figures of the papers whose methods Espalier implements.");
  Suggestions papers;
  for (const Paper& known : known_papers()) papers.words.emplace_back(known.name);
  suggest(command->add_option("PAPER", settings->paper, "sympack, halo or swcholesky")->required(),
          papers);
  command
      ->add_option(
          "--figure", settings->figures,
          "numbers of figures, or names such as 'table 1', separated by commas; without it all")
      ->type_name("K")
      ->delimiter(',');
  suggest_matrices(
      command
          ->add_option("--matrices", settings->matrices,
                       "files or generators instead of the paper's matrices, separated by commas")
          ->type_name("MATRIX")
          ->delimiter(','));
  suggest(command
              ->add_option("--simulated", settings->runs.machine,
                           "run on this simulated machine; see espalier simulate")
              ->type_name("MACHINE"),
          {Suggestions::Kind::files, shipped_machine_names()});
  add_numbers(*command, "nodes", "N,...", settings->nodes, {1, 1024},
              "numbers of ranks, or of simulated nodes, in figures of strong scaling; without it "
              "powers of two up to the number of cores, or up to 8 nodes");
  add_options(*command, *settings, {"workers"});
  add_number(*command, "repeat", "K", settings->runs.factorizations, {2, 1000000},
             "number of factorizations per run; the first one does not count");
  add_number(*command, "rounds", "K", settings->runs.rounds, {1, 1000},
             "number of runs per case; the cases take turns");
  command->add_option("--html", settings->html, "write a web page with tables and charts")
      ->type_name("FILE");
  add_output_options(*command, settings->report, settings->quiet);
  command->footer(reproduce_notes);
  return {command, [settings] { run(*settings); }};
}

}  // namespace espalier::internal
