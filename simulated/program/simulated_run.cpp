// SPDX-License-Identifier: BSD-3-Clause
#include "simulated_run.hpp"

#include <fmt/format.h>
#include <starpu_mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/caught_error.hpp"
#include "chart/charts.hpp"
#include "chart/trace.hpp"
#include "cli/options.hpp"
#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"
#include "espalier/mpi.hpp"
#include "replay.hpp"
#include "runtime/starpu/devices.hpp"
#include "schedulers/configurations.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

struct Settings : Options {
  std::string matrix;
  std::string report;
  std::string trace;  ///< folder for traces, or empty
};

/// Returns the options for the analysis, without the tuning of this machine, which is not the
/// simulated one.
AnalysisOptions analysis_options(const Settings& settings) {
  AnalysisOptions options = settings.analysis;
  options.workers = settings.runtime.workers;
  options.tuned = false;
  options.record_work = true;
  return options;
}

/// A solve without refinement, because the simulated vectors have no values.
constexpr SolveOptions one_solve{.refinement_steps = 0};

/// Result of a factorization and a solve. Only the root's is complete.
struct Outcome {
  Report report;
  Schedule schedule;
};

Outcome factor_alone(const Settings& settings) {
  const Runtime runtime(settings.runtime);
  const Matrix matrix = Matrix::load(settings.matrix);
  const Analysis analysis(matrix, analysis_options(settings));
  Factor factor(runtime, analysis, settings.factor);
  factor.factorize(matrix);
  factor.solve(std::vector<double>(matrix.size(), 1.0), 1, one_solve);
  return {factor.report(), settings.trace.empty() ? Schedule{} : factor.schedule()};
}

/// Returns the options for an analysis by ranks. They include default panel widths, because ranks
/// use the panels of the analysis.
AnalysisOptions rank_analysis_options(const Settings& settings) {
  // simulated coprocessors also are CUDA devices for StarPU
  const bool has_cuda = simulated_machine().count_of("cuda") > 0;
  const CostModel costs{read_host_costs(), read_device_costs(has_cuda ? "cuda" : "")};
  return completed(
      analysis_options(settings),
      default_tuning_by(costs, has_cuda, traits_of_policy(settings.runtime.scheduler)));
}

Outcome factor_on_ranks(const Settings& settings) {
  const Ranks ranks(MPI_COMM_WORLD, settings.runtime);
  std::optional<Matrix> matrix;
  std::vector<double> b;
  if (ranks.is_root()) {
    matrix = Matrix::load(settings.matrix);
    b.assign(matrix->size(), 1.0);
  }
  auto analysis = analyze(ranks, matrix ? &*matrix : nullptr, rank_analysis_options(settings));
  DistributedFactor factor(ranks, analysis ? &*analysis : nullptr, settings.factor);
  analysis.reset();
  factor.factorize(std::move(matrix));
  factor.solve(std::move(b), 1, one_solve);
  Report report = factor.report();
  return {std::move(report), settings.trace.empty() ? Schedule{} : factor.schedule()};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw InputError(path + ": cannot be written");
}

void simulate(const Settings& settings) {
  const bool alone = starpu_mpi_world_size() == 1;
  const auto [report, schedule] = alone ? factor_alone(settings) : factor_on_ranks(settings);
  if (starpu_mpi_world_rank() != 0) return;
  if (!settings.trace.empty()) {
    const std::string& name = report.matrix.name;
    write(settings.trace + "/trace.json", chrome_trace(name, {}, schedule, 0));
    write(settings.trace + "/gantt.svg",
          gantt_chart(schedule, name + " with " + report.scheduler.active, schedule.seconds));
  }
  write(settings.report, to_json(report));
}

/// Reads the options of a run with a matrix and runs it.
void simulate_matrix(int argc, char** argv) {
  CLI::App program("One rank of a simulation");
  Settings settings;
  add_matrix(program, settings.matrix);
  add_options(program, settings, {configuration_option});
  add_analysis_options(program, settings);
  add_options(program, settings, {"workers"});
  add_scheduler_options(program, settings);
  add_task_options(program, settings);
  program.add_option("--report", settings.report)->required();
  program.add_option("--trace", settings.trace);
  settings.factor.record_work = true;
  program.parse(argc, argv);
  settings.runtime.cuda_devices = cuda::devices();
  simulate(settings);
}

/// Reads the options of a run with a file of a task graph and runs it.
void simulate_graph(int argc, char** argv) {
  CLI::App program("A task graph without its matrix");
  ReplaySettings settings;
  Options options;
  std::string report;
  program.add_option("--graph", settings.graph)->required();
  program.add_option("--architecture", settings.architecture);
  add_options(program, options, {"workers", "sched", "sched-option"});
  program.add_option("--report", report)->required();
  program.parse(argc, argv);
  settings.runtime = options.runtime;
  settings.runtime.cuda_devices = cuda::devices();
  write(report, replay(settings));
}

}  // namespace

int run_simulated(int argc, char** argv) {
  try {
    const bool has_graph = argc > 1 && std::string_view(argv[1]) == "--graph";
    has_graph ? simulate_graph(argc, argv) : simulate_matrix(argc, argv);
    if (starpu_mpi_world_size() > 1) return 0;
    std::_Exit(0);  // StarPU-MPI's simulated thread was not used and would wait forever
  } catch (...) {
    const CaughtError error = current_error();
    fmt::print(stderr, "espalier: {}\n", error.message);
    std::fflush(stderr);
    // A normal exit would hang, because StarPU-MPI's simulated threads wait for those of this rank.
    std::_Exit(static_cast<int>(error.code));
  }
}

}  // namespace espalier::internal
