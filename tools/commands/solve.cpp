// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdlib>
#include <future>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/caught_error.hpp"
#include "base/clock.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "commands/shifted_matrices.hpp"
#include "commands/solve_settings.hpp"
#include "espalier/espalier.hpp"
#include "espalier/tuning.hpp"
#include "launch/coprocessors.hpp"
#include "launch/environment.hpp"
#include "launch/ranks.hpp"
#include "launch/signals.hpp"
#include "matrix/matrix_part.hpp"
#include "matrix/sign_file.hpp"
#include "ordering/ordering.hpp"
#include "plan/plan.hpp"
#include "report/factor_report.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "schedulers/options.hpp"
#include "schedulers/registry.hpp"
#include "solver/analysis.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

/// One solve in one process, from the input files to the output files, phase by phase.
class Solve {
 public:
  Solve(const SolveSettings& settings, const ScheduleFiles& files, Report& report, Outputs& outputs)
      : settings_(settings),
        files_(files),
        report_(report),
        outputs_(outputs),
        phases_(!settings.quiet) {}

  void run() {
    std::future<Runtime> runtime =
        std::async(std::launch::async, [this] { return Runtime(settings_.runtime); });
    const ShiftedMatrices matrices = read();
    Matrix matrix = matrices.matrix(0);
    RightHandSides b = right_hand_sides(settings_, matrix);
    std::vector<signed char> signs;
    if (!settings_.signs.empty()) signs = read_signs(settings_.signs, matrix.size());
    phases_.begin("starting StarPU");
    const Runtime started = runtime.get();
    const Analysis analysis = analyze(matrix, started);
    phases_.begin("setting up");
    FactorOptions options = settings_.factor;
    // A deterministic factor takes no options from the analysis, so they are set here.
    if (options.deterministic) options = tuned(options, tuning_.tuning);
    options.memory_beside = b.bytes() + matrices.bytes_beside();
    Factor factor(started, analysis, options);
    if (!settings_.signs.empty()) factor.set_signs(signs);
    for (Index k = 0; k < matrices.count(); ++k) {
      if (k > 0) matrix = matrices.matrix(k);
      if (k > 0 && settings_.rhs.empty()) b = right_hand_sides(settings_, matrix);
      factorize(factor, matrix, k);
      solve(factor, b, k);
    }
    // The summary of several shifts is printed even if a solution is inaccurate.
    if (matrices.count() == 1) {
      expect_accurate(name_of_matrix(settings_, 0), report_.solution.backward_error);
    }
    refine_models(factor);
    phases_.end();
    if (files_.wanted()) {
      files_.write(outputs_, report_, factor.schedule(), phases_, factorization_begin_);
    }
  }

 private:
  ShiftedMatrices read() {
    phases_.begin("reading");
    const Stopwatch watch;
    ShiftedMatrices matrices(settings_);
    read_seconds_ = watch.seconds();
    return matrices;
  }

  Analysis analyze(const Matrix& matrix, const Runtime& runtime) {
    phases_.begin("analyzing");
    AnalysisOptions options = settings_.analysis;
    options.matching = options.matching || chooses_pivots(settings_, matrix);
    options.workers =
        settings_.factor.deterministic ? deterministic_workers : runtime.cpu_workers();
    phases_.expect(expected_ordering_seconds(matrix, options));
    const StarpuInstance& starpu = *Internals::data(runtime).starpu;
    if (!settings_.tune) tuning_ = tuning_for(settings_, starpu);
    const CostChoice& costs = starpu.costs().host;
    Analysis analysis = settings_.tune
                            ? espalier::analyze_and_tune(runtime, matrix, options, settings_.factor)
                            : analyze_with(tuning_, costs, matrix, options);
    take(analysis.report());
    add_ordering(outputs_, settings_.saved_ordering, analysis);
    std::vector<std::pair<std::string, double>> parts{{"ordering", report_.ordering.seconds}};
    if (settings_.tune) parts.emplace_back("tuning", report_.tune.seconds);
    parts.emplace_back("symbolic factorization", report_.symbolic.seconds);
    phases_.divide(parts);
    return analysis;
  }

  /// Factorizes matrix k, the one of shift k.
  void factorize(Factor& factor, const Matrix& matrix, Index k) {
    phases_.begin(settings_.repeat == 1 ? "factorizing"
                                        : fmt::format("factorizing {} times", settings_.repeat));
    phases_.expect(settings_.repeat * report_.symbolic.predicted_factor_seconds);
    for (Index run = 0; run < settings_.repeat; ++run) {
      // Charts show the last factorization, and the calibration learns from it.
      if (run + 1 == settings_.repeat && (run > 0 || files_.wanted())) time_devices(factor);
      factorization_begin_ = phases_.now();
      const FactorStatus status = factor.factorize(matrix);
      phases_.done((run + 1.0) / settings_.repeat);
      if (status.ok()) continue;
      take(factor.report());
      throw_failed_pivot(settings_, k, status.bad_column, report_);
    }
  }

  /// Solves with the factor of matrix k.
  void solve(Factor& factor, const RightHandSides& b, Index k) {
    SolutionFile file(outputs_, settings_.out, report_.matrix.n, b.count());
    phases_.begin("solving");
    const auto read = [&](Index first, std::span<double> block) {
      if (first > 0) phases_.turn_to("solving");
      phases_.done(static_cast<double>(first) / b.count());
      b.copy(first, block);
    };
    bool accurate = true;
    const auto write = [&](Index /*first*/, std::span<const double> x, double error) {
      accurate = accurate && error <= accepted_error;
      if (settings_.out.empty() || !accurate) return;
      phases_.turn_to("writing");
      file.append(x);
    };
    factor.solve(b.count(), {read, write}, settings_.solve);
    take(factor.report());
    if (settings_.shifts.empty()) return;
    shifts_.push_back(shift_report(settings_, k, report_));
    report_.shifts = shifts_;
  }

  /// Refines the calibration with the measured times. A failure is only a warning, because the
  /// solution does not depend on it.
  void refine_models(const Factor& factor) {
    if (settings_.factor.deterministic || settings_.repeat == 1) return;
    try {
      learn_costs(factor);
    } catch (const Error&) {
      report_.warnings.push_back("the calibration has learnt nothing from this run: " +
                                 current_error().message);
    }
  }

  void take(Report report) {
    report_ = std::move(report);
    report_.matrix.read_seconds = read_seconds_;
    report_.shifts = shifts_;
    count_from_1(report_);
  }

  const SolveSettings& settings_;
  const ScheduleFiles& files_;
  Report& report_;
  Outputs& outputs_;
  Phases phases_;
  TuningChoice tuning_;  ///< the defaults with --tune, because the analysis then has the tuning
  double read_seconds_ = 0;
  std::vector<ShiftReport> shifts_;  ///< the shifts that are solved
  /// Begin of the last factorization, in seconds on the clock of `phases_`.
  double factorization_begin_ = 0;
};

/// Reports the current error for this rank and returns its exit code. When this process exits with
/// it, mpirun ends all other ranks. This process cannot use MPI, because only the worker process
/// has initialized it.
int tell_of_rank(const std::string& report_path) {
  CaughtError failure = current_error();
  failure.message = fmt::format("on rank {}: {}", launched_rank(), failure.message);
  try {
    with_failure_report(report_path, [&] { throw_error(failure); });
  } catch (const Error&) {
    fmt::print(stderr, "espalier: {}\n", failure.message);
  }
  return static_cast<int>(failure.code);
}

/// Starts this command line again, with coprocessors, and waits for it. The new process writes the
/// files and communicates with other ranks. If one of its processes is lost, this process writes
/// the report about that, on the rank that lost it.
void run_again(const SolveSettings& settings) {
  int code = 0;
  try {
    code = run_with_coprocessors(settings.coprocessors);
  } catch (const Error&) {
    if (launched_ranks() == 1) {
      with_failure_report(settings.report, [] { throw; });
    }
    code = tell_of_rank(settings.report);
  }
  if (code != 0) std::_Exit(code);  // the reason is already printed
}

}  // namespace

void run_solve(SolveSettings settings) {
  name_streams(settings);
  expect_different_files(settings);
  with_failure_report(launched_rank() == 0 ? settings.report : "",
                      [&] { expect_compatible(settings); });
  if (settings.coprocessors.count > 0 && !has_coprocessors()) return run_again(settings);
  if (settings.runtime.cuda_devices > 0) tell_device_failures();
  if (launched_ranks() > 1 || is_in_parts(settings.matrix) ||
      settings.analysis.ordering == ptscotch) {
    return run_on_ranks(std::move(settings));
  }
  const auto work = [&](Report& report, Outputs& outputs) {
    settings.runtime.scheduler = resolve_scheduler(settings.runtime.scheduler);
    expect_known_scheduler(settings.runtime.scheduler,
                           devices_expected() || settings.runtime.cuda_devices > 0);
    read_policy_settings(settings.runtime.scheduler, settings.runtime.scheduler_options);
    const ScheduleFiles files(settings.html, settings.trace);
    expect_creatable(settings.out);
    expect_creatable(settings.saved_ordering);
    prepare_starpu_environment(settings.runtime.scheduler, settings.runtime.workers);
    Solve(settings, files, report, outputs).run();
  };
  with_report(settings.report, work, [&](const Report& report) {
    if (!settings.quiet) print_solve_summary(report, settings.out, settings.detail());
    expect_accurate_shifts(settings, report.shifts);
  });
}

}  // namespace espalier::internal
