// SPDX-License-Identifier: BSD-3-Clause
#include "tune/workbench.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "chart/trace.hpp"
#include "cli/tuning.hpp"
#include "compare/measure.hpp"
#include "launch/environment.hpp"
#include "perfmodels/cost_model.hpp"
#include "report/factor_report.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "schedulers/registry.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

RunCase with_tuning(RunCase what, const Tuning& tuning) {
  TuningFile file;
  file.tuning = tuning;
  what.tuning = to_json(file);
  return what;
}

RunCase with_defaults(RunCase what) {
  for (const char* const word : {"--tuning", no_tuning}) what.options.emplace_back(word);
  return what;
}

/// One of the two cases that take turns, with its times.
struct Turn {
  RunCase what;
  std::vector<double> seconds;
};

/// Runs a case and appends its times. Only tasks on CPU workers are kept, because predictions learn
/// from these alone.
void run(Turn& turn, const RunMode& mode, std::vector<TaskRun>& tasks) {
  const ProgramRun done = successful_run(turn.what, mode);
  std::ranges::move(timed_seconds(done), std::back_inserter(turn.seconds));
  std::ranges::copy_if(schedule_in(done.trace).tasks, std::back_inserter(tasks),
                       [](const TaskRun& task) { return !task.on_device; });
}

/// Measures with the defaults and with the tuning in turns. All processes run the same small number
/// of factorizations, until there are at least `factorizations` of each case.
Trial measured_by_turns(const RunCase& there, RunMode mode, const Tuning& tuning,
                        Index factorizations) {
  const Index timed = std::min(factorizations, timed_runs);
  mode.factorizations = warming_runs + timed;
  mode.traced = true;
  Turn defaults{with_defaults(there), {}};
  Turn tuned{with_tuning(there, tuning), {}};
  Trial trial;
  for (Index round = 0; round * timed < factorizations; ++round) {
    run(round % 2 == 0 ? defaults : tuned, mode, trial.tasks);
    run(round % 2 == 0 ? tuned : defaults, mode, trial.tasks);
  }
  trial.with_defaults = median(defaults.seconds);
  trial.tuned = median(tuned.seconds);
  return trial;
}

}  // namespace

std::vector<std::string> words_of(const RunPlace& place, const Coprocessors& coprocessors) {
  if (place.devices == 0 || place.has_cuda) return {};
  return {"--coprocessor-threads", std::to_string(coprocessors.threads), "--coprocessor-workers",
          name_of(coprocessors.workers)};
}

Workbench own_workbench(RuntimeOptions options, DenseKernels::Source kernels) {
  options.scheduler = default_scheduler;
  prepare_starpu_environment(options.scheduler, options.workers);
  const auto runtime = std::make_shared<const Runtime>(options);
  const Index workers = runtime->cpu_workers();
  const CostChoice& costs = Internals::data(*runtime).starpu->costs().host;
  return {TuningPlace{workers},
          workers,
          {costs.warning},
          costs,
          [runtime, kernels](const std::string& /*name*/, const Matrix& matrix,
                             const Tuning& tuning, Index rounds) {
            return measure_tuning(*runtime, matrix, tuning, rounds, {.kernels = {.from = kernels}});
          }};
}

Workbench workbench_at(const RunPlace& place, const Coprocessors& coprocessors,
                       DenseKernels::Source kernels) {
  RunCase there{"laplace2d:3", default_scheduler, place.ranks, place.workers, place.devices, {}};
  there.options = {"--kernels", name_of(kernels)};
  std::ranges::move(words_of(place, coprocessors), std::back_inserter(there.options));
  const RunMode mode{"", place.has_cuda, 1, false};
  const ProgramRun first = successful_run(with_defaults(there), mode);
  const TuningPlace found = place_of_report(first.report);
  const auto measure = [there, mode](const std::string& name, const Matrix& /*matrix*/,
                                     const Tuning& tuning, Index rounds) {
    RunCase what = there;
    what.matrix = name;
    return measured_by_turns(what, mode, tuning, rounds);
  };
  return {found, std::min(found.all_workers(), expected_workers(0)),
          first.report.at("warnings").get<std::vector<std::string>>(), read_host_costs(), measure};
}

}  // namespace espalier::internal
