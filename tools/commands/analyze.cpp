// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/printable.hpp"
#include "base/readable.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "cli/tuning.hpp"
#include "commands/commands.hpp"
#include "espalier/espalier.hpp"
#include "launch/environment.hpp"
#include "launch/memory_limits.hpp"
#include "perfmodels/cost_model.hpp"
#include "report/graph_files.hpp"
#include "schedulers/configurations.hpp"
#include "solver/analysis.hpp"
#include "solver/data.hpp"
#include "solver/described_analysis.hpp"

namespace espalier::internal {

namespace {

struct AnalyzeSettings : Options {
  std::string matrix;
  FileFormat format = FileFormat::automatic;
  std::string report;
  std::string graph;           ///< file for the task graph, or empty
  std::string saved_ordering;  ///< file for the ordering, or empty
  std::string tuning;
  std::vector<std::string> words;  ///< words of the command line that shape the graph
  bool quiet = false;
  bool verbose = false;
};

constexpr const char* analyze_examples = R"(Examples:
  espalier analyze A.mtx.gz                      predict memory and time of a factorization
  espalier analyze A.mtx --ordering amd          with another ordering
  espalier analyze laplace3d:100 --workers 64    on 64 cores
  espalier analyze A.mtx --workers 64 --span     with the parallelism of the analysis itself
  espalier analyze A.mtx --graph tasks.json      write the planned tasks, for studies of scheduling
The matrix needs no values without --matching: a file with its pattern, or with a graph without the diagonal, is enough.)";

std::vector<std::string> width_labels(std::size_t bins) {
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < bins; ++k) {
    const Count last = Count{1} << k;
    const Count first = last / 2 + 1;
    labels.push_back(first >= last ? fmt::format("{}", last) : fmt::format("{}-{}", first, last));
  }
  return labels;
}

/// Returns "< 1 us", "< 10 us", ..., with the largest unit that gives a whole number.
std::vector<std::string> time_labels(std::size_t bins) {
  std::vector<std::string> labels;
  Count microseconds = 1;
  for (std::size_t k = 0; k < bins; ++k, microseconds *= 10) {
    labels.push_back(microseconds < 1000      ? fmt::format("< {} us", microseconds)
                     : microseconds < 1000000 ? fmt::format("< {} ms", microseconds / 1000)
                                              : fmt::format("< {} s", microseconds / 1000000));
  }
  return labels;
}

void print_work(const char* phase, const WorkReport& work, Index workers) {
  fmt::print("{:<10} {} of work, {} of span, {} on {} workers\n", phase,
             readable_seconds(work.seconds), readable_seconds(work.span_seconds),
             readable_seconds(work.scheduled_seconds), workers);
}

void print_graph(const DescribedGraph& graph, const std::string& file) {
  const std::vector<double> seconds = cpu_seconds(graph);
  const double work = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double path = longest_path(graph, seconds);
  fmt::print("{:<10} {} tasks, {} edges; critical path {}, parallelism {:.1f}; in {}\n", "graph",
             graph.size(), graph.successor.size(), readable_seconds(path),
             path > 0 ? work / path : 0, printable(file));
}

void print(const Report& report, const Analysis& analysis, const FactorPlan& plan, bool span,
           Detail detail) {
  print_analysis_summary(report, detail);
  if (span) {
    print_work("ordering", report.ordering.work, report.machine.cpu_workers);
    print_work("symbolic", report.symbolic.work, report.machine.cpu_workers);
  }
  const std::vector<Count> widths = analysis.supernode_width_histogram();
  print_histogram("supernodes by number of columns", width_labels(widths.size()), widths);
  const std::vector<Count> times = task_time_histogram(plan);
  print_histogram("tasks by predicted time", time_labels(times.size()), times);
}

void analyze(const AnalyzeSettings& settings, Report& report, Outputs& outputs) {
  Progress progress(!settings.quiet);
  progress.begin("reading");
  const Stopwatch watch;
  const Matrix matrix = settings.analysis.matching
                            ? Matrix::load(settings.matrix, settings.format)
                            : Matrix::load_pattern(settings.matrix, settings.format);
  const double read_seconds = watch.seconds();
  progress.begin("analyzing");
  progress.expect(expected_ordering_seconds(matrix, settings.analysis));
  const Analysis analysis =
      analyze_with(chosen_tuning(settings.tuning, {settings.analysis.workers}),
                   read_host_costs(settings.runtime.costs), matrix, settings.analysis);
  const AnalysisData& data = Internals::data(analysis);
  const PredictedFactorization factorization = predicted(data, settings.factor);
  report = report_of(data, factorization);
  report.matrix.read_seconds = read_seconds;
  report.machine.cpu_workers = settings.analysis.workers;
  report.memory.peak_rss_bytes = peak_resident_bytes();
  std::optional<DescribedGraph> graph;
  if (!settings.graph.empty()) {
    progress.begin("writing the graph");
    graph = describe(data, factorization, settings.words);
    add_graph(*graph, settings.graph, outputs);
  }
  add_ordering(outputs, settings.saved_ordering, analysis);
  progress.end();
  if (settings.quiet) return;
  print(report, analysis, factorization.plan, settings.analysis.record_work,
        settings.verbose ? Detail::all : Detail::everyday);
  if (graph) print_graph(*graph, settings.graph);
}

void run(AnalyzeSettings settings) {
  name_stream(settings.matrix, standard_input);
  expect_different({{"MATRIX", settings.matrix},
                    {"--ordering", settings.analysis.ordering},
                    {"--tuning", file_of_tuning(settings.tuning)},
                    {"--save-ordering", settings.saved_ordering},
                    {"--report", settings.report},
                    {"--graph", settings.graph}});
  with_report(settings.report, [&](Report& report, Outputs& outputs) {
    expect_stack_for_threads();
    settings.analysis.workers = expected_workers(settings.analysis.workers);
    expect_creatable(settings.saved_ordering);
    if (!settings.graph.empty()) {
      static_cast<void>(graph_format_of(settings.graph));
      expect_creatable(settings.graph);
    }
    analyze(settings, report, outputs);
  });
}

}  // namespace

Command add_analyze(CLI::App& program, std::vector<std::string> line) {
  auto settings = std::make_shared<AnalyzeSettings>();
  CLI::App* const command = program.add_subcommand(
      "analyze", "Predict the fill, operations, tasks, memory and time of a factorization.");
  add_matrix_or_stream(*command, settings->matrix);
  add_options(*command, *settings, {"workers"});
  command->add_flag("--span", settings->analysis.record_work,
                    "also print the parallelism of the analysis: work, span and list schedule, "
                    "measured with one thread");
  command
      ->add_option("--graph", settings->graph,
                   "write the planned tasks, their data and dependencies; the name ends in " +
                       std::string(graph_file_endings))
      ->type_name("FILE");
  add_output_options(*command, settings->report, settings->quiet);
  add_verbose(*command, settings->verbose);
  add_format(*command, settings->format);
  add_options(*command, *settings, {configuration_option});
  add_ordering_options(*command, *settings);
  add_save_ordering(*command, settings->saved_ordering);
  add_options(*command, *settings, {"matching"});
  add_options(*command, *settings, {"costs"});
  add_structure_options(*command, *settings);
  add_options(*command, *settings, {"granularity", "subtrees-per-worker", "tile-rows"});
  add_tuning(*command, settings->tuning);
  group_options(*command);
  command->footer(analyze_examples);
  std::vector<CLI::Option*> shaping;
  for (const char* const name :
       {"--as", "--workers", "--ordering", "--factorizations", "--costs", "--panel-width",
        "--narrow-panel-width", "--amalgamation-widths", "--amalgamation-zeros", "--granularity",
        "--subtrees-per-worker", "--tile-rows", "--tuning"}) {
    shaping.push_back(command->get_option(name));
  }
  return {command,
          [settings, shaping, words = std::move(line)] {
            settings->words = words_that_give(shaping, words);
            run(*settings);
          },
          true};
}

}  // namespace espalier::internal
