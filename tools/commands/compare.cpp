// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "cli/tuning.hpp"
#include "commands/commands.hpp"
#include "compare/graph_runs.hpp"
#include "compare/measure.hpp"
#include "compare/output.hpp"
#include "compare/program_run.hpp"
#include "espalier/error.hpp"
#include "launch/coprocessors.hpp"
#include "launch/environment.hpp"
#include "launch/memory_limits.hpp"

namespace espalier::internal {

namespace {

struct CompareSettings {
  std::vector<std::string> matrices;
  std::string graph;    ///< file of a task graph instead of matrices
  std::string machine;  ///< machine that runs the graph; empty: the ideal machine
  std::string policies = default_policies();
  std::string baseline;
  std::vector<Index> ranks{1};
  std::vector<Index> workers{0};
  std::vector<Index> coprocessors{0};
  Coprocessors threads;  ///< of each coprocessor; passed on to the runs
  std::vector<Index> cuda_devices{0};
  std::string csv;
  std::string json;
  std::string html;
  bool quiet = false;
  MeasureOptions measure;
};

constexpr const char* notes = R"(Examples:
  espalier compare laplace3d:30                  all policies of Espalier and the usual ones of StarPU
  espalier compare A.mtx B.mtx --sched espalier,fanout:steal=1,lws --repeat 10 --csv runs.csv
  espalier compare A.mtx --sched own --granularity block --workers 1,2,4 --html page.html
  espalier compare A.mtx --sched espalier,as=sympack,as=swcholesky:fuse=0   configurations of papers
  espalier compare A.mtx --ranks 2 --workers 1 --sched espalier,fanout --baseline fanout
  espalier compare A.mtx --workers 1 --coprocessors 1 --sched espalier,halo:halo=static0:0.5,halo
  espalier compare --graph tasks.json --workers 8,64 --sched eager,dmdas,espalier
With --graph, policies run the tasks of a file of espalier analyze --graph inside SimGrid, in the times
of the file. The makespan is compared with max(critical path, work / workers), with devices with the
smallest time for which host and devices could share the work.
In each round every policy runs once, after a new start of StarPU: two factorizations to warm up,
three timed ones, and a checked solve. With ranks or devices, each run is a process of espalier solve.
If there are several numbers of ranks, workers or devices, each combination has a table. Its columns:
  median       median time of a factorization, the "time" of the other columns
  spread       (slowest - fastest run) / median
  to best      time / smallest median
  to NAME      time / median of the policy that --baseline names
  idle         share of the workers' time without a ready task; on several ranks: without a task
  runtime      share of the workers' time with a ready task that had not started: submission,
               scheduling, waking
  bound ratio  time / max(critical path, work / workers), as predicted; a device counts as a worker)";

/// One combination of ranks, workers and devices, with the policies to compare on it.
struct Case {
  RunPlace place;
  std::vector<PolicyChoice> policies;
};

/// Throws UsageError if the baseline is not one of the policies.
void expect_compared(const std::string& baseline, const std::vector<PolicyChoice>& policies) {
  const bool compared = std::ranges::any_of(
      policies, [&](const PolicyChoice& choice) { return choice.label == baseline; });
  if (baseline.empty() || compared) return;
  throw UsageError("--baseline names " + baseline +
                   ", which is not compared; name it in --sched, too, in the same words");
}

/// Returns all combinations. Throws UsageError if the options contradict each other, and
/// UnknownScheduler if a policy cannot run with a combination.
std::vector<Case> cases_of(const CompareSettings& settings) {
  const bool has_cuda = std::ranges::max(settings.cuda_devices) > 0;
  if (has_cuda && std::ranges::max(settings.coprocessors) > 0) {
    throw UsageError(
        "devices are CUDA devices or coprocessors; leave out --cuda-devices or --coprocessors");
  }
  if (has_cuda && settings.graph.empty()) {
    expect_cuda_for(std::ranges::max(settings.cuda_devices));
  }
  std::vector<Case> cases;
  for (const Index ranks : settings.ranks) {
    for (const Index workers : settings.workers) {
      for (const Index devices : has_cuda ? settings.cuda_devices : settings.coprocessors) {
        cases.push_back(
            {{ranks, workers, devices, has_cuda}, parse_policies(settings.policies, devices > 0)});
        expect_compared(settings.baseline, cases.back().policies);
      }
    }
  }
  return cases;
}

std::vector<std::string> warnings_of(const std::vector<Comparison>& comparisons) {
  std::vector<std::string> all;
  for (const Comparison& comparison : comparisons) {
    const std::vector<std::string> warnings = comparison.report().at("warnings");
    all.insert(all.end(), warnings.begin(), warnings.end());
  }
  return all;
}

void compare(CompareSettings& settings, const std::vector<Case>& cases) {
  std::vector<Comparison> comparisons;
  Progress progress(!settings.quiet);
  for (const std::string& matrix : settings.matrices) {
    for (const auto& [place, policies] : cases) {
      comparisons.push_back(measure(matrix, place, policies, settings.measure, progress));
      comparisons.back().baseline = settings.baseline;
      progress.end();
      if (settings.quiet) continue;
      fmt::print("{}{}\n{}", comparisons.size() == 1 ? "" : "\n", heading_of(comparisons.back()),
                 table_of(comparisons.back()));
      std::fflush(stdout);
    }
  }
  if (!settings.quiet) print_warnings(warnings_of(comparisons));
  Outputs outputs;
  add_text(outputs, settings.csv, [&] { return csv_of(comparisons); });
  add_text(outputs, settings.json, [&] { return json_of(comparisons); });
  add_text(outputs, settings.html, [&] { return page_of(comparisons); });
  outputs.commit();
}

/// Throws UsageError if an option that only runs with a matrix have was given with a graph.
void expect_for_graph(const CompareSettings& settings) {
  const auto refuse = [](const std::string& option) {
    throw UsageError("a graph has its tasks and runs once, in simulation, so " + option +
                     " has no meaning with --graph; leave it out");
  };
  if (!settings.matrices.empty()) refuse("MATRIX");
  if (settings.ranks != std::vector<Index>{1}) refuse("--ranks");
  if (!settings.baseline.empty()) refuse("--baseline");
  if (settings.measure.rounds != MeasureOptions{}.rounds) refuse("--repeat");
  if (!settings.csv.empty()) refuse("--csv");
  if (!settings.html.empty()) refuse("--html");
  if (!settings.measure.words.empty()) refuse(settings.measure.words.front());
}

/// Returns the runs of a graph, grouped by their workers and devices.
std::vector<std::vector<GraphCase>> graph_cases(const std::vector<Case>& places,
                                                const GraphReplay& replay) {
  std::vector<std::vector<GraphCase>> all;
  for (const auto& [place, policies] : places) {
    const Index workers = place.workers > 0 ? place.workers : replay.graph().origin.workers;
    std::vector<GraphCase>& cases = all.emplace_back();
    for (const PolicyChoice& policy : policies) {
      const char* const architecture = place.has_cuda ? "cuda" : "coprocessor";
      cases.push_back({policy, workers, architecture, place.devices});
      replay.expect_possible(cases.back());
    }
  }
  return all;
}

void compare_on_graph(const CompareSettings& settings) {
  expect_for_graph(settings);
  expect_different({{"--graph", settings.graph}, {"--json", settings.json}});
  expect_creatable(settings.json);
  const std::vector<Case> places = cases_of(settings);
  const GraphReplay replay(settings.graph, settings.machine);
  std::vector<GraphRun> runs;
  Progress progress(!settings.quiet);
  for (const std::vector<GraphCase>& cases : graph_cases(places, replay)) {
    const std::size_t first = runs.size();
    for (const GraphCase& what : cases) {
      progress.begin("simulating " + what.policy.label);
      runs.push_back(replay.run(what));
    }
    progress.end();
    if (settings.quiet) continue;
    fmt::print("{}{}", first == 0 ? heading_of(replay) : "\n",
               table_of(std::span(runs).subspan(first)));
    std::fflush(stdout);
  }
  write_text(settings.json, [&] { return json_of(replay, runs); });
}

void run(CompareSettings settings) {
  expect_alone("compare");
  if (!settings.graph.empty()) return compare_on_graph(settings);
  if (!settings.machine.empty()) {
    throw UsageError(
        "--machine needs --graph; espalier simulate runs a matrix on a simulated machine");
  }
  const std::vector<Case> cases = cases_of(settings);
  std::vector<NamedPath> paths{
      {"--csv", settings.csv}, {"--json", settings.json}, {"--html", settings.html}};
  paths.push_back({"--tuning", file_of_tuning(settings.measure.tuning)});
  for (const std::string& matrix : settings.matrices) paths.push_back({"MATRIX", matrix});
  expect_different(paths);
  for (const std::string* path : {&settings.csv, &settings.json, &settings.html}) {
    expect_creatable(*path);
  }
  for (const Case& what : cases) expect_memory_for_workers(expected_workers(what.place.workers));
  compare(settings, cases);
}

void add_policies(CLI::App& command, CompareSettings& settings) {
  CLI::Option* const policies =
      command
          .add_option(
              "--sched", settings.policies,
              "policies, separated by commas; NAME:KEY=VALUE:... sets options of a policy; "
              "as=NAME: the configuration of a paper; own: all policies of Espalier; all: also "
              "those of StarPU")
          ->type_name("NAMES")
          ->capture_default_str();
  suggest(policies, {Suggestions::Kind::list, {"own", "all"}, true});
  CLI::Option* const baseline =
      command
          .add_option("--baseline", settings.baseline,
                      "a policy of the list, whose time becomes the unit of a further column")
          ->type_name("NAME");
  suggest(baseline, {.policies = true});
  add_number(command, "repeat", "K", settings.measure.rounds, {1, 1000000},
             "number of rounds; each runs every policy once");
}

/// Adds --graph, which takes the place of the matrices, and --machine.
void add_graph_options(CLI::App& command, CompareSettings& settings, CLI::Option* matrices) {
  command
      .add_option_function<std::string>(
          "--graph",
          [&settings, matrices](const std::string& file) {
            settings.graph = file;
            matrices->required(false);
          },
          "run the tasks of a JSON file of espalier analyze --graph in simulation, instead of a "
          "MATRIX")
      ->type_name("FILE");
  add_machine(command, settings.machine, "an ideal one, whose tasks alone take time");
}

void add_places(CLI::App& command, CompareSettings& settings) {
  add_numbers(command, "workers", "W,...", settings.workers, limits::workers,
              "numbers of CPU workers per rank; 0: STARPU_NCPU if it is set, else one per core");
  add_numbers(command, "ranks", "P,...", settings.ranks, {1, 1024},
              "numbers of ranks, started by mpirun");
  add_numbers(command, "coprocessors", "C,...", settings.coprocessors, {0, 16},
              "numbers of coprocessors per rank, by StarPU's TCP/IP mode");
  add_numbers(command, "cuda-devices", "G,...", settings.cuda_devices, limits::cuda_devices,
              "numbers of CUDA devices per rank");
}

void add_files(CLI::App& command, CompareSettings& settings) {
  command.add_option("--csv", settings.csv, "write one line per run")->type_name("FILE");
  command
      .add_option("--json", settings.json, "write all runs, and the schedules of the fastest ones")
      ->type_name("FILE");
  command
      .add_option("--html", settings.html, "write a web page with charts of times and schedules")
      ->type_name("FILE");
  command.add_flag("--quiet", settings.quiet, "print only errors");
}

}  // namespace

Command add_compare(CLI::App& program, std::vector<std::string> line) {
  auto settings = std::make_shared<CompareSettings>();
  CLI::App* const command =
      program.add_subcommand("compare", "Compare the times of scheduling policies.");
  CLI::Option* const matrices = add_matrices(*command, settings->matrices);
  add_graph_options(*command, *settings, matrices);
  add_policies(*command, *settings);
  add_places(*command, *settings);
  const std::size_t own = command->get_options().size();
  add_analysis_options(*command, settings->measure);
  add_tuning(*command, settings->measure.tuning);
  add_task_options(*command, settings->measure);
  add_coprocessor_threads(*command, settings->threads);
  const std::vector<CLI::Option*> forwarded = options_of_runs_after(*command, own);
  add_files(*command, *settings);
  command->footer(notes);
  return {command, [settings, forwarded, words = std::move(line)] {
            settings->measure.words = words_that_give(forwarded, words);
            run(*settings);
          }};
}

}  // namespace espalier::internal
