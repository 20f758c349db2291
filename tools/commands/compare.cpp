// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "cli/tuning.hpp"
#include "commands/commands.hpp"
#include "compare/measure.hpp"
#include "compare/output.hpp"
#include "compare/program_run.hpp"
#include "espalier/error.hpp"
#include "launch/coprocessors.hpp"
#include "launch/environment.hpp"
#include "launch/room.hpp"

namespace espalier::internal {

namespace {

struct CompareSettings {
  std::vector<std::string> matrices;
  std::string policies = default_policies();
  std::string baseline;
  std::vector<Index> ranks{1};
  std::vector<Index> workers{0};
  std::vector<Index> coprocessors{0};
  Coprocessors threads;  ///< of each; handed on
  std::vector<Index> cuda_devices{0};
  std::string csv;
  std::string json;
  std::string html;
  bool quiet = false;
  MeasureOptions measure;
};

constexpr const char* notes = R"(Examples:
  espalier compare laplace3d:30                  all policies of Espalier and the usual ones
  espalier compare A.mtx B.mtx --sched espalier,fanout:steal=1,lws --repeat 10 --csv runs.csv
  espalier compare A.mtx --sched own --granularity block --workers 1,2,4 --html page.html
  espalier compare A.mtx --ranks 2 --workers 1 --sched espalier,fanout --baseline fanout
  espalier compare A.mtx --workers 1 --coprocessors 1 --sched espalier,halo:halo=static0:0.5,halo
Each round starts StarPU anew with every policy in turn: two factorizations to warm up, three that
are timed, and a solve that is checked. With ranks, which mpirun starts, and devices each is a run of
espalier solve. Several numbers of ranks, workers or devices make a table each, in all combinations.
The table has medians:
  spread       slowest less fastest run, as a share of the median
  to best      time in units of the smallest median
  to NAME      time in units of the median of the policy that --baseline names
  idle         share of the workers' time in which no task could have run before others ended; of
               several ranks whatever is no task
  runtime      share in which one could have: submission, scheduling, waking. The rest is tasks
  bound ratio  time in units of max(critical path, work / workers), both as predicted, on devices as
               on a CPU worker)";

/// Policies on one kind of place.
struct Case {
  RunPlace place;
  std::vector<PolicyChoice> policies;
};

/// Throws UsageError where the baseline is none of the policies.
void expect_compared(const std::string& baseline, const std::vector<PolicyChoice>& policies) {
  const bool compared = std::ranges::any_of(
      policies, [&](const PolicyChoice& choice) { return choice.label == baseline; });
  if (baseline.empty() || compared) return;
  throw UsageError("--baseline names " + baseline +
                   ", which is not compared; name it in --sched, too, in the same words");
}

/// Returns all combinations. Throws UsageError, and UnknownScheduler where a place has not what a
/// policy needs.
std::vector<Case> cases_of(const CompareSettings& settings) {
  const bool has_cuda = std::ranges::max(settings.cuda_devices) > 0;
  if (has_cuda && std::ranges::max(settings.coprocessors) > 0) {
    throw UsageError(
        "devices are CUDA devices or coprocessors; leave out --cuda-devices or --coprocessors");
  }
  if (has_cuda) expect_cuda_for(std::ranges::max(settings.cuda_devices));
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
    const std::vector<std::string> warnings = comparison.report.at("warnings");
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

void run(CompareSettings settings) {
  expect_alone("compare");
  const std::vector<Case> cases = cases_of(settings);
  std::vector<NamedPath> paths{
      {"--csv", settings.csv}, {"--json", settings.json}, {"--html", settings.html}};
  paths.push_back({"--tuning", file_of_tuning(settings.measure.tuning)});
  for (const std::string& matrix : settings.matrices) paths.push_back({"MATRIX", matrix});
  expect_different(paths);
  for (const std::string* path : {&settings.csv, &settings.json, &settings.html}) {
    expect_creatable(*path);
  }
  for (const Case& what : cases) expect_room_for_workers(expected_workers(what.place.workers));
  compare(settings, cases);
}

void add_policies(CLI::App& command, CompareSettings& settings) {
  CLI::Option* const policies =
      command
          .add_option("--sched", settings.policies,
                      "policies, separated by commas; NAME:KEY=VALUE:... sets options of one; own: "
                      "all of Espalier's; all: StarPU's, too")
          ->type_name("NAMES")
          ->capture_default_str();
  suggest(policies, {Suggestions::Kind::list, {"own", "all"}, true});
  CLI::Option* const baseline =
      command
          .add_option("--baseline", settings.baseline,
                      "one of them; the time with each is also told in units of that with this one")
          ->type_name("NAME");
  suggest(baseline, {.policies = true});
  add_number(command, "repeat", "K", settings.measure.rounds, {1, 1000000},
             "rounds, each with all policies");
}

void add_places(CLI::App& command, CompareSettings& settings) {
  add_numbers(command, "workers", "W,...", settings.workers, limits::workers,
              "CPU workers, of each rank; 0: as many as STARPU_NCPU says, else as there are cores");
  add_numbers(command, "ranks", "P,...", settings.ranks, {1, 1024}, "ranks, started by mpirun");
  add_numbers(command, "coprocessors", "C,...", settings.coprocessors, {0, 16},
              "other processes that run tasks, of each rank, by StarPU's TCP/IP mode");
  add_numbers(command, "cuda-devices", "G,...", settings.cuda_devices, limits::cuda_devices,
              "CUDA devices that run tasks, of each rank");
}

void add_files(CLI::App& command, CompareSettings& settings) {
  command.add_option("--csv", settings.csv, "write a line a run")->type_name("FILE");
  command.add_option("--json", settings.json, "write all runs and the schedules of the fastest")
      ->type_name("FILE");
  command.add_option("--html", settings.html, "write a page with charts of times and schedules")
      ->type_name("FILE");
  command.add_flag("--quiet", settings.quiet, "print nothing but errors");
}

}  // namespace

Command add_compare(CLI::App& program, std::vector<std::string> line) {
  auto settings = std::make_shared<CompareSettings>();
  CLI::App* const command =
      program.add_subcommand("compare", "Measure scheduling policies against each other.");
  add_matrices(*command, settings->matrices);
  add_policies(*command, *settings);
  add_places(*command, *settings);
  const std::size_t own = command->get_options().size();
  add_analysis_options(*command, settings->measure);
  add_tuning(*command, settings->measure.tuning);
  add_task_options(*command, settings->measure);
  add_coprocessor_threads(*command, settings->threads);
  const std::vector<CLI::Option*> all = command->get_options();
  const std::vector<CLI::Option*> forwarded(all.begin() + static_cast<std::ptrdiff_t>(own),
                                            all.end());
  add_files(*command, *settings);
  command->footer(notes);
  return {command, [settings, forwarded, words = std::move(line)] {
            settings->measure.words = words_that_give(forwarded, words);
            run(*settings);
          }};
}

}  // namespace espalier::internal
