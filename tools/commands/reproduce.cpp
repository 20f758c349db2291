// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/readable.hpp"
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
#include "reproduce/reproduction.hpp"

namespace espalier::internal {

namespace {

struct ReproduceSettings : Options {
  std::string paper;
  std::vector<std::string> figures;
  std::vector<std::string> matrices;
  std::vector<Index> nodes;
  std::string html;
  std::string report;
  std::string resumed;
  Index coprocessors = 0;
  bool quiet = false;
  RunSettings runs;
};

constexpr const char* reproduce_notes = R"(Examples:
  espalier reproduce swcholesky --html page.html             all figures, on this machine
  espalier reproduce halo --figure 7,8
  espalier reproduce sympack --figure 7 --simulated perlmutter --nodes 1,2,4,8
  espalier reproduce swcholesky --html page.html --resume page.html     continue an incomplete page
Each figure is a table of runs of this program. The runs take turns, each in a separate process. Below
the table stand the results of the paper, and whether each claim of the paper is found in these
numbers. A claim is not judged if the spread of the rounds cannot decide it.
On two cores that are otherwise idle, a page takes some minutes without --matrices and --simulated.
The page and the report are written after each figure. If the program is interrupted, they have the
figures that were finished, and --resume continues.
The runs use the matrices of --matrices. Without this option they use the matrices of the paper, if
the folder ESPALIER_MATRICES has them under their names in the SuiteSparse collection, or else similar
generated ones.
On this machine, coprocessors serve as devices. A simulated machine uses its CUDA devices, if it has
any.)";

/// Most processes per node that figures of simulated nodes without devices try.
constexpr Index most_processes_of_hosts = 4;

/// Returns the number of workers of a node.
Index workers_of(const ReproduceSettings& settings, const Paper& paper,
                 const MachineFile* machine) {
  if (settings.runtime.workers > 0) return settings.runtime.workers;
  if (machine == nullptr) return expected_workers(0);
  return paper.simulated_workers > 0 ? std::min(paper.simulated_workers, machine->cores)
                                     : machine->cores;
}

/// Returns the machine for the runs, with the cases that figures may choose from.
Bench bench_on_machine(ReproduceSettings& settings, Runs& runs, const Paper& paper,
                       const MachineFile* machine) {
  Bench bench{.runs = runs, .workers = workers_of(settings, paper, machine)};
  bench.devices = settings.coprocessors;
  const bool is_cluster = machine != nullptr && !machine->one_machine;
  if (machine != nullptr && !machine->devices.empty()) {
    bench.devices = machine->devices.front().count;
  }
  if (is_cluster) {
    bench.most_processes =
        std::min(bench.workers, bench.devices > 0 ? bench.devices : most_processes_of_hosts);
  }
  bench.cores = expected_workers(0);
  bench.nodes = settings.nodes;
  const Index most = is_cluster ? 8 : machine != nullptr ? machine->cores : bench.cores;
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
    bench.source_of_costs = source_of_costs("simulated", machine->name, "");
    if (machine->devices.empty()) return;
    bench.device_costs = machine->devices.front().costs;
    bench.source_of_device_costs = machine->devices.front().model;
    return;
  }
  const CostChoice here = read_host_costs();
  if (here.table != nullptr) bench.costs = *here.table;
  bench.source_of_costs = source_of_costs(here.source, here.file, here.date);
  const DeviceChoice device = read_device_costs("coprocessor");
  bench.source_of_device_costs = "coprocessors: " + device.source;
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

/// Returns whether a file can be replaced several times. Devices and pipes can be written once.
bool is_replaceable(const std::string& path) {
  const std::filesystem::file_status status = std::filesystem::status(path);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

enum class Stage { intermediate, last };

/// Writes the report and the page. Intermediate ones go only to files that can be replaced.
void write_outputs(const ReproduceSettings& settings, const Reproduction& all, const Runs& runs,
                   Stage stage) {
  const nlohmann::ordered_json data = json_of(all, runs.stored());
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  Outputs outputs;
  const auto add = [&](const std::string& path, const std::function<std::string()>& text) {
    if (stage == Stage::last || is_replaceable(path)) add_text(outputs, path, text);
  };
  add(settings.report, [&] { return data.dump(1, ' ', false, replace) + "\n"; });
  add(settings.html, [&] { return page_of(all, data); });
  outputs.commit();
}

/// Makes the missing figures, and writes the outputs after each one that was made. Stops at the
/// time limit.
void make_figures(const ReproduceSettings& settings, Bench& bench, Reproduction& all) {
  for (Made& made : all.figures) {
    if (!made.is_made) {
      const MomentWatch watch;
      if (made.item.make != nullptr) made.figure = made.item.make(bench);
      made.moment = watch.moment();
      made.is_made = true;
    }
    if (!settings.quiet) {
      fmt::print("{}\n", text_of(made));
      std::fflush(stdout);
    }
    const bool only_failures = !bench.runs.failure_of_all().empty();
    if (!only_failures) write_outputs(settings, all, bench.runs, Stage::intermediate);
  }
}

/// Makes the figures. If that fails or the time limit is reached, the outputs give the reason.
void make_and_explain(const ReproduceSettings& settings, Bench& bench, Reproduction& all) {
  try {
    make_figures(settings, bench, all);
  } catch (const TimeLimitReached&) {
    all.ending = fmt::format("The time limit of {} s was reached", settings.runs.time_limit);
  } catch (const Error& failure) {
    all.ending = failure.what();
    const bool any = std::ranges::any_of(all.figures, &Made::is_made);
    if (any) write_outputs(settings, all, bench.runs, Stage::last);
    throw;
  }
}

/// Returns the reproduction without its facts. The figures are those of --resume, or still missing.
Reproduction begun(const ReproduceSettings& settings, const Paper& paper,
                   const std::vector<Item>& items, const Bench& bench) {
  Reproduction all{.paper = paper,
                   .machine = settings.runs.machine,
                   .facts = {},
                   .conditions = conditions_of(paper, bench)};
  for (const Item& item : items) all.figures.push_back({item});
  if (!settings.resumed.empty()) resume(settings.resumed, all, bench.runs);
  return all;
}

void expect_outputs(const ReproduceSettings& settings) {
  std::vector<NamedPath> paths{{"--html", settings.html}, {"--report", settings.report}};
  for (const std::string& matrix : settings.matrices) paths.push_back({"--matrices", matrix});
  paths.push_back({"--simulated", settings.runs.machine});
  expect_different(paths);
  for (const std::string* path : {&settings.report, &settings.html}) expect_creatable(*path);
}

void run(ReproduceSettings settings) {
  const Paper paper = find_paper(settings.paper);
  const std::vector<Item> items = choose_items(paper, settings.figures);
  expect_outputs(settings);
  std::optional<MachineFile> machine;
  if (!settings.runs.machine.empty()) machine = find_machine(settings.runs.machine);
  if (machine && settings.coprocessors > 0) {
    throw UsageError(
        "a simulated machine has its own devices; leave out --coprocessors or --simulated");
  }
  const MachineFile* const simulated = machine ? &*machine : nullptr;
  settings.runs.has_cuda = machine && machine->count_of("cuda") > 0;
  Progress progress(!settings.quiet);
  Runs runs(settings.runs, progress);
  Bench bench = bench_on_machine(settings, runs, paper, simulated);
  Reproduction all = begun(settings, paper, items, bench);
  const auto tables = machine ? nullptr : tables_for(items, settings.quiet);
  add_costs(bench, simulated, settings.quiet);
  bench.coarse = tables != nullptr;
  all.facts = facts_of(paper, bench, machine ? machine->provenance : "");
  if (!settings.quiet) fmt::print("{}\n", text_of(all.facts));
  make_and_explain(settings, bench, all);
  const std::string failure = runs.failure_of_all();
  if (!failure.empty()) throw RuntimeFailure("no run succeeded; the first one failed: " + failure);
  if (!settings.quiet) fmt::print("{}", overview_of(all));
  write_outputs(settings, all, runs, Stage::last);
  if (const std::string failures = runs.failures(); !failures.empty()) print_warnings({failures});
  if (all.ending.empty()) return;
  print_warnings(
      {fmt::format("{}: {} missing; continue with --resume and a file of --html or "
                   "--report",
                   all.ending, all.missing())});
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
  add_number(*command, "coprocessors", "C", settings->coprocessors, {0, 16},
             "number of coprocessors of each rank in symPACK's figures of strong scaling");
  add_number(*command, "repeat", "K", settings->runs.factorizations, {2, 1000000},
             "number of factorizations per run; the first one does not count");
  add_number(*command, "rounds", "K", settings->runs.rounds, {1, 1000},
             "number of runs per case; the cases take turns");
  add_number(*command, "time-limit", "SECONDS", settings->runs.time_limit, {0, 1000000},
             "start no run after this time; the outputs name the missing figures; 0: no limit");
  command->add_option("--html", settings->html, "write a web page with tables and charts")
      ->type_name("FILE");
  command
      ->add_option("--resume", settings->resumed,
                   "take over finished figures from a page or a report of the same command")
      ->type_name("FILE");
  add_output_options(*command, settings->report, settings->quiet);
  command->footer(reproduce_notes);
  return {command, [settings] { run(*settings); }};
}

}  // namespace espalier::internal
