// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/scalar.hpp"
#include "cli/failure.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "commands/shifted_matrices.hpp"
#include "commands/solve_settings.hpp"
#include "distributed/data.hpp"
#include "espalier/mpi.hpp"
#include "launch/environment.hpp"
#include "launch/ranks.hpp"
#include "matrix/matrix_part.hpp"
#include "matrix/sign_file.hpp"
#include "ordering/ordering.hpp"
#include "plan/plan.hpp"
#include "report/factor_report.hpp"
#include "runtime/mpi/rank_cores.hpp"
#include "schedulers/options.hpp"
#include "schedulers/registry.hpp"

namespace espalier::internal {

namespace {

/// One solve by several ranks, from the input files to the output files, phase by phase. Only the
/// root writes files and prints.
class RankSolve {
 public:
  RankSolve(const SolveSettings& settings, const ScheduleFiles& files, const Ranks& ranks,
            const Communicator& world, Report& report, Outputs& outputs)
      : settings_(settings),
        files_(files),
        ranks_(ranks),
        world_(world),
        report_(report),
        outputs_(outputs),
        phases_(ranks.is_root() && !settings.quiet) {}

  void run() {
    read();
    analyze();
    phases_.begin("setting up");
    FactorOptions options = tuned(settings_.factor, tuning_.tuning);
    options.memory_beside = scalar.bytes_of(std::ssize(b_));
    DistributedFactor factor(ranks_, analysis_ ? &*analysis_ : nullptr, options);
    analysis_.reset();
    return_freed_memory();  // the factorization can reuse the memory of the analysis
    if (!settings_.signs.empty()) factor.set_signs(signs_);
    factorize(factor);
    phases_.begin("solving");
    const Solution solution = factor.solve(std::move(b_), nrhs_, settings_.solve);
    take(factor.report());
    if (ranks_.is_root() && !settings_.shifts.empty()) {
      report_.shifts = {shift_report(settings_, 0, report_)};
    }
    expect_accurate(name_of_matrix(settings_, 0), solution.backward_error);
    const Schedule schedule = schedule_of(factor);
    phases_.end();
    agree(world_, [&] {
      if (ranks_.is_root()) write(solution.x, schedule);
    });
  }

 private:
  /// Reads the matrix on the root, or one part of it on each rank. The right-hand sides are on the
  /// root only.
  void read() {
    phases_.begin("reading");
    const Stopwatch watch;
    bool in_parts = ranks_.is_root() && is_in_parts(settings_.matrix);
    world_.broadcast(in_parts);
    std::vector<double> sums;
    if (in_parts) {
      parts_.emplace(ranks_, settings_.matrix);
      if (settings_.rhs.empty()) sums = parts_->row_sums(ranks_);
    }
    agree(world_, [&] {
      if (!ranks_.is_root()) return;
      if (!in_parts) matrix_ = ShiftedMatrices(settings_).matrix(0);
      read_seconds_ = watch.seconds();
      RightHandSides b = !in_parts               ? right_hand_sides(settings_, *matrix_)
                         : settings_.rhs.empty() ? RightHandSides(sums, settings_.nrhs)
                                                 : RightHandSides(settings_.rhs, parts_->size());
      nrhs_ = b.count();
      b_ = std::move(b).dense();
      if (settings_.signs.empty()) return;
      signs_ = read_signs(settings_.signs, in_parts ? parts_->size() : matrix_->size());
    });
  }

  void analyze() {
    phases_.begin("analyzing");
    agree(world_, [&] {
      if (!ranks_.is_root()) return;
      tuning_ = tuning_for(settings_, *Internals::data(ranks_).starpu, ranks_.size());
    });
    AnalysisOptions options = completed(settings_.analysis, tuning_.tuning);
    options.workers = settings_.factor.deterministic ? deterministic_workers : ranks_.cpu_workers();
    options.tuned = false;  // the options already contain the tuning for these ranks
    if (options.ordering != ptscotch && chooses_pivots()) options.matching = true;
    analysis_ = parts_ ? espalier::analyze(ranks_, *parts_, options)
                       : espalier::analyze(ranks_, matrix_ ? &*matrix_ : nullptr, options);
    if (!analysis_) return;
    take(analysis_->report());
    add_ordering(outputs_, settings_.saved_ordering, *analysis_);
    phases_.divide({{"ordering", report_.ordering.seconds},
                    {"symbolic factorization", report_.symbolic.seconds}});
  }

  /// Returns whether the first factorization chooses its pivots. Call it only on the root.
  bool chooses_pivots() const {
    return matrix_
               ? internal::chooses_pivots(settings_, *matrix_)
               : settings_.signs.empty() && settings_.factor.factorization == Factorization::ldlt;
  }

  void factorize(DistributedFactor& factor) {
    phases_.begin(settings_.repeat == 1 ? "factorizing"
                                        : fmt::format("factorizing {} times", settings_.repeat));
    phases_.expect(settings_.repeat * report_.symbolic.predicted_factor_seconds);
    for (Index k = 0; k < settings_.repeat; ++k) {
      factorization_begin_ = phases_.now();
      const bool last = k + 1 == settings_.repeat;
      const FactorStatus status = factorize(factor, last);
      phases_.done((k + 1.0) / settings_.repeat);
      if (status.ok()) continue;
      take(factor.report());
      throw_failed_pivot(settings_, 0, status.bad_column, report_);
    }
  }

  /// Factorizes once. The last factorization releases the matrix.
  FactorStatus factorize(DistributedFactor& factor, bool last) {
    if (parts_) return last ? factor.factorize(std::move(*parts_)) : factor.factorize(*parts_);
    return last ? factor.factorize(std::exchange(matrix_, std::nullopt))
                : factor.factorize(matrix_ ? &*matrix_ : nullptr);
  }

  /// Returns the schedule if the root will draw it, else an empty one. Collective.
  Schedule schedule_of(const DistributedFactor& factor) const {
    bool wanted = files_.wanted();
    world_.broadcast(wanted);
    return wanted ? factor.schedule() : Schedule{};
  }

  void write(const std::vector<double>& x, const Schedule& schedule) {
    SolutionFile(outputs_, settings_.out, report_.matrix.n, nrhs_).append(x);
    if (files_.wanted()) {
      files_.write(outputs_, report_, schedule, phases_, factorization_begin_);
    }
  }

  void take(Report report) {
    report_ = std::move(report);
    report_.matrix.read_seconds = read_seconds_;
    count_from_1(report_);
    report_.tuning = {tuning_.source, tuning_.file};
    add_warning(tuning_.warning, report_);
  }

  const SolveSettings& settings_;
  const ScheduleFiles& files_;
  const Ranks& ranks_;
  const Communicator& world_;
  Report& report_;
  Outputs& outputs_;
  Phases phases_;
  double read_seconds_ = 0;
  /// Begin of the last factorization, in seconds on the clock of `phases_`.
  double factorization_begin_ = 0;
  std::optional<DistributedMatrix> parts_;
  // Only the root has these members.
  std::optional<Matrix> matrix_;
  std::optional<Analysis> analysis_;
  TuningChoice tuning_;  ///< other ranks receive its values with the options of the root
  std::vector<double> b_;
  std::vector<signed char> signs_;
  Index nrhs_ = 0;
};

/// Minimum number of cores of a rank for which one core is reserved for messages. If the thread for
/// messages also computes, each message waits until its current task ends. With fewer cores this
/// costs less than the lost worker does.
constexpr std::size_t own_core_from = 16;

/// Decides for this rank whether the thread for messages also computes. Collective.
void divide_cores(const Communicator& world, const RuntimeOptions& options) {
  const std::size_t cores = cores_of_rank(world.get()).size();
  const bool chosen = options.workers > 0 || std::getenv("STARPU_NCPU") != nullptr;
  const bool spare = !chosen || static_cast<std::size_t>(expected_workers(options.workers)) < cores;
  if (cores < own_core_from || !spare) let_progress_thread_compute();
}

void prepare(SolveSettings& settings, const Communicator& world) {
  settings.runtime.scheduler = resolve_scheduler(settings.runtime.scheduler);
  expect_known_scheduler(settings.runtime.scheduler,
                         devices_expected() || settings.runtime.cuda_devices > 0);
  read_policy_settings(settings.runtime.scheduler, settings.runtime.scheduler_options);
  prepare_starpu_environment(settings.runtime.scheduler, settings.runtime.workers);
  if (world.is_root()) {
    expect_creatable(settings.report);
    expect_creatable(settings.out);
    expect_creatable(settings.saved_ordering);
  } else {
    for (std::string* path : {&settings.report, &settings.out, &settings.saved_ordering,
                              &settings.html, &settings.trace}) {
      path->clear();
    }
  }
}

}  // namespace

void run_on_ranks(SolveSettings settings) {
  const auto reported = [report = launched_rank() == 0 ? settings.report : ""](const auto& check) {
    with_failure_report(report, check);
  };
  reported([&] { expect_memory_for_mpi(expected_workers(settings.runtime.workers)); });
  std::optional<StartLimit> limit(std::in_place, settings.watchdog);
  const MpiSession mpi;
  const Communicator world(MPI_COMM_WORLD);
  reported([&] { expect_launcher_of(world); });
  RankGuard guard(world, settings.watchdog);
  limit.reset();
  guard.run([&] {
    reported([&] { agree(world, [&] { prepare(settings, world); }); });
    divide_cores(world, settings.runtime);
    const auto work = [&](Report& report, Outputs& outputs) {
      const auto files = agree(
          world, [&] { return std::make_unique<ScheduleFiles>(settings.html, settings.trace); });
      const Ranks ranks(world.get(), settings.runtime);
      guard.run([&] { RankSolve(settings, *files, ranks, world, report, outputs).run(); });
    };
    with_report(settings.report, work, [&](const Report& report) {
      if (world.is_root() && !settings.quiet)
        print_solve_summary(report, settings.out, settings.detail());
    });
  });
}

}  // namespace espalier::internal
