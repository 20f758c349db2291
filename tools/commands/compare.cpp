// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "commands/commands.hpp"
#include "compare/measure.hpp"
#include "compare/output.hpp"
#include "launch/environment.hpp"

namespace espalier::internal {

namespace {

struct CompareSettings {
  std::vector<std::string> matrices;
  std::string policies = default_policies();
  std::string csv;
  std::string json;
  std::string html;
  bool quiet = false;
  MeasureOptions measure;
};

constexpr const char* notes = R"(Examples:
  espalier compare laplace3d:30                  all policies of Espalier and the usual ones
  espalier compare A.mtx B.mtx --sched espalier,fanout:steal=1,lws --repeat 10 --csv runs.csv
  espalier compare A.mtx --sched own --granularity block --workers 4 --html page.html
Each round starts StarPU anew with every policy in turn: two factorizations to warm up, three that
are timed, and a solve that is checked. The table has medians:
  spread       slowest less fastest run, as a share of the median
  to best      time in units of the smallest median
  idle         share of the workers' time in which no task could have run before others ended
  runtime      share in which one could have: submission, scheduling, waking. The rest is tasks
  bound ratio  time in units of max(critical path, work / workers), both as predicted)";

void print(const Comparison& comparison, bool first) {
  const Report& r = comparison.report;
  fmt::print("{}{}: {} rows, {:.3g} flop, {} ordering, {} granularity, {} CPU workers\n{}",
             first ? "" : "\n", r.matrix.name, r.matrix.n, r.symbolic.flops, r.ordering.method,
             r.factor.granularity, r.machine.cpu_workers, table_of(comparison));
  std::fflush(stdout);
}

void compare(CompareSettings& settings, const std::vector<PolicyChoice>& policies) {
  std::vector<Comparison> comparisons;
  Progress progress(!settings.quiet);
  for (const std::string& matrix : settings.matrices) {
    comparisons.push_back(measure(matrix, policies, settings.measure, progress));
    progress.end();
    if (!settings.quiet) print(comparisons.back(), comparisons.size() == 1);
  }
  write_text(settings.csv, [&] { return csv_of(comparisons); });
  write_text(settings.json, [&] { return json_of(comparisons); });
  write_text(settings.html, [&] { return page_of(comparisons); });
}

void run(CompareSettings settings) {
  const std::vector<PolicyChoice> policies = parse_policies(settings.policies);
  std::vector<NamedPath> paths{
      {"--csv", settings.csv}, {"--json", settings.json}, {"--html", settings.html}};
  for (const std::string& matrix : settings.matrices) paths.push_back({"MATRIX", matrix});
  expect_different(paths);
  for (const std::string* path : {&settings.csv, &settings.json, &settings.html}) {
    expect_creatable(*path);
  }
  settings.measure.analysis.workers = expected_workers(settings.measure.workers);
  expect_address_space(settings.measure.analysis.workers, 0);
  compare(settings, policies);
}

}  // namespace

Command add_compare(CLI::App& program) {
  auto settings = std::make_shared<CompareSettings>();
  CLI::App* const command =
      program.add_subcommand("compare", "Measure scheduling policies against each other.");
  add_matrices(*command, settings->matrices);
  command
      ->add_option(
          "--sched", settings->policies,
          "policies, separated by commas; NAME:KEY=VALUE:... sets options of one; own: all "
          "of Espalier's; all: StarPU's, too")
      ->type_name("NAMES")
      ->capture_default_str();
  add_number(*command, "repeat", "K", settings->measure.rounds, {1, 1000000},
             "rounds, each with all policies");
  add_analysis_options(*command, settings->measure.analysis);
  add_workers(*command, settings->measure.workers);
  add_task_options(*command, settings->measure.factor);
  command->add_option("--csv", settings->csv, "write a line a run")->type_name("FILE");
  command->add_option("--json", settings->json, "write all runs and the schedules of the fastest")
      ->type_name("FILE");
  command->add_option("--html", settings->html, "write a page with charts of times and schedules")
      ->type_name("FILE");
  command->add_flag("--quiet", settings->quiet, "print nothing but errors");
  command->footer(notes);
  return {command, [settings] { run(*settings); }};
}

}  // namespace espalier::internal
