// SPDX-License-Identifier: BSD-3-Clause
#include "simulated_run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>

#include "base/caught_error.hpp"
#include "cli/options.hpp"
#include "espalier/mpi.hpp"
#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

namespace {

struct Settings {
  std::string matrix;
  std::string report;
  AnalysisOptions analysis;
  FactorOptions factor;
  RuntimeOptions runtime;
};

void simulate(const Settings& settings) {
  const MpiSession mpi;
  const Communicator world(MPI_COMM_WORLD);
  const Ranks ranks(world.get(), settings.runtime);
  std::optional<Matrix> matrix;
  if (ranks.is_root()) matrix = Matrix::load(settings.matrix);
  AnalysisOptions options = settings.analysis;
  options.workers = ranks.cpu_workers();
  options.tuned = false;
  auto analysis = analyze(ranks, matrix ? &*matrix : nullptr, options);
  DistributedFactor factor(ranks, analysis ? &*analysis : nullptr, settings.factor);
  analysis.reset();
  factor.factorize(std::move(matrix));
  const Report report = factor.report();
  if (ranks.is_root()) std::ofstream(settings.report) << to_json(report);
}

}  // namespace

int run_simulated(int argc, char** argv) {
  CLI::App program("One rank of a simulation");
  Settings settings;
  add_matrix(program, settings.matrix);
  add_analysis_options(program, settings.analysis);
  add_workers(program, settings.runtime.workers);
  program.add_option("--sched", settings.runtime.scheduler);
  program.add_option("--cuda-devices", settings.runtime.cuda_devices);
  add_scheduler_options(program, settings.runtime.scheduler_options);
  add_task_options(program, settings.factor);
  add_mapping(program, settings.factor.mapping, settings.factor.grid);
  program.add_option("--report", settings.report)->required();
  CLI11_PARSE(program, argc, argv);
  try {
    simulate(settings);
  } catch (...) {
    const CaughtError error = current_error();
    fmt::print(stderr, "espalier: {}\n", error.message);
    return static_cast<int>(error.code);
  }
  return 0;
}

}  // namespace espalier::internal
