// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/caught_error.hpp"
#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "commands/commands.hpp"
#include "commands/shifted_matrices.hpp"
#include "commands/solve_settings.hpp"
#include "espalier/espalier.hpp"
#include "espalier/tuning.hpp"
#include "launch/coprocessors.hpp"
#include "launch/environment.hpp"
#include "launch/ranks.hpp"
#include "launch/signals.hpp"
#include "launch/watchdog.hpp"
#include "matrix/matrix_part.hpp"
#include "matrix/sign_file.hpp"
#include "ordering/ordering.hpp"
#include "plan/plan.hpp"
#include "report/factor_report.hpp"
#include "runtime/starpu/devices.hpp"
#include "schedulers/configurations.hpp"
#include "schedulers/options.hpp"
#include "schedulers/registry.hpp"
#include "solver/analysis.hpp"
#include "solver/automatic_factorization.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

constexpr const char* solve_examples = R"(Examples:
  espalier solve A.mtx                           b = A (1, ..., 1); prints a summary
  espalier solve A.mtx --rhs b.mtx --out x.mtx   a right-hand side and a solution in files
  espalier solve A.mtx --rhs b.mtx --rhs c.npy --out x.mtx   the columns of two files
  espalier solve A.mtx --memory-limit 8G --report run.json
  espalier generate laplace2d:100 - | espalier solve - --out - > x.mtx   streams instead of files
  mpirun -n 4 espalier solve A.mtx               four ranks; each reads its part A.0.mtx to A.3.mtx
                                                 if there is no A.mtx
  espalier solve A.mtx --cuda-devices 1          with a CUDA device
  espalier solve A.mtx --coprocessors 1          with a second process that runs tasks
  espalier solve A.mtx --coprocessors 1 --coprocessor-threads 4 --coprocessor-workers one
                                                 with a process whose threads share each task
  espalier solve K.mtx --factorization ldlt      an indefinite matrix, such as a saddle point
  espalier solve K.mtx --factorization ldlt --signs K.signs   a quasi-definite matrix
  espalier solve K.mtx --factorization ldlt --shift 0.5,2.5 --shift-matrix M.mtx
                                                 counts eigenvalues of K v = x M v below 0.5 and 2.5
  espalier solve A.mtx --as sympack              as symPACK does; also halo (with devices), swcholesky
  espalier solve A.mtx --tune --repeat 100       search parameters for this matrix first
  espalier solve A.mtx --tuning here.json        with parameters of espalier tune --out here.json
)";

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
    for (Index k = 0; k < matrices.count(); ++k) {
      expect_accurate(name_of_matrix(settings_, k), errors_[k]);
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
    errors_.push_back(factor.solve(b.count(), {read, write}, settings_.solve).backward_error);
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
  std::vector<double> errors_;       ///< backward errors of the solutions, one per matrix
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
    with_report(report_path,
                [&](Report& /*report*/, Outputs& /*outputs*/) { throw_error(failure); });
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
      with_report(settings.report, [](Report& /*report*/, Outputs& /*outputs*/) { throw; });
    }
    code = tell_of_rank(settings.report);
  }
  if (code != 0) std::_Exit(code);  // the reason is already printed
}

/// Throws UsageError if --tune was given together with ranks or coprocessors, because its
/// predictions do not cover them.
void expect_tunable(const SolveSettings& settings) {
  if (!settings.tune) return;
  if (launched_ranks() > 1 || is_in_parts(settings.matrix) ||
      settings.analysis.ordering == ptscotch) {
    throw UsageError(
        "--tune predicts factorizations of one process, not of several ranks; leave it out "
        "under mpirun, for matrices in parts and under --ordering ptscotch");
  }
  if (has_coprocessors()) {
    throw UsageError("--tune predicts factorizations on CPU workers; leave out coprocessors");
  }
}

/// Throws UsageError if --format contradicts the parts of a matrix.
void expect_format_of_parts(const SolveSettings& settings) {
  if (settings.format != FileFormat::harwell_boeing || !is_in_parts(settings.matrix)) return;
  throw UsageError(
      "the parts of a matrix are Matrix Market files; leave out --format harwell-boeing");
}

/// Replaces "-" by the path of the stream. Throws UsageError if two inputs are standard input.
void name_streams(SolveSettings& settings) {
  name_stream(settings.matrix, standard_input);
  name_stream(settings.shift_matrix, standard_input);
  for (std::string& path : settings.rhs) name_stream(path, standard_input);
  name_stream(settings.out, standard_output);
  if (std::ranges::count(settings.rhs, standard_input) + (settings.matrix == standard_input) +
          (settings.shift_matrix == standard_input) >
      1) {
    throw UsageError(
        "only one of the matrix, --shift-matrix and each --rhs can come from standard input; give "
        "the others by their files");
  }
}

/// Throws UsageError if options do not support A = L J Lᵀ, or need it.
void expect_supported(const SolveSettings& settings) {
  const Factorization kind = settings.factor.factorization;
  const bool llt = kind == Factorization::llt;
  if (!llt && settings.factor.kernels.from != DenseKernels::Source::automatic) {
    throw UsageError(fmt::format(
        "--factorization {} has separate kernels; leave out --kernels, or add --kernels auto to "
        "--as",
        name_of(kind)));
  }
  if (kind != Factorization::ldlt && !settings.signs.empty()) {
    throw UsageError("--signs needs --factorization ldlt; add it, or leave out --signs");
  }
  const auto& regularization = settings.factor.regularization;
  if (kind == Factorization::ldlt && settings.signs.empty() &&
      std::ranges::any_of(regularization, [](double number) { return number > 0; })) {
    throw UsageError(
        "--regularization needs the signs of the pivots; give a file with 1 or -1 per row by "
        "--signs");
  }
}

void run(SolveSettings settings) {
  name_streams(settings);
  expect_supported(settings);
  expect_shiftable(settings);
  expect_format_of_parts(settings);
  expect_tunable(settings);
  expect_cuda_for(settings.runtime.cuda_devices);
  expect_vector_file_name("--out", settings.out);
  if (settings.coprocessors.count > 0 && !has_coprocessors()) return run_again(settings);
  if (settings.runtime.cuda_devices > 0) tell_device_failures();
  if (launched_ranks() > 1 || is_in_parts(settings.matrix) ||
      settings.analysis.ordering == ptscotch) {
    return run_on_ranks(std::move(settings));
  }
  expect_different_files(settings);
  const auto work = [&](Report& report, Outputs& outputs) {
    settings.runtime.scheduler = resolve_scheduler(settings.runtime.scheduler);
    expect_known_scheduler(settings.runtime.scheduler,
                           devices_expected() || settings.runtime.cuda_devices > 0);
    read_policy_settings(settings.runtime.scheduler, settings.runtime.scheduler_options);
    const ScheduleFiles files(settings.html, settings.trace);
    expect_creatable(settings.out);
    prepare_starpu_environment(settings.runtime.scheduler, settings.runtime.workers);
    Solve(settings, files, report, outputs).run();
  };
  with_report(settings.report, work, [&](const Report& report) {
    if (!settings.quiet) print_solve_summary(report, settings.out, settings.detail());
  });
}

void add_vector_options(CLI::App& command, SolveSettings& settings) {
  CLI::Option* const rhs =
      command
          .add_option(
              "--rhs", settings.rhs,
              "file with right-hand sides: Matrix Market (array or coordinate), NumPy (.npy), or "
              "plain text with one row per line; -: text from standard input; may be repeated")
          ->type_name("FILE")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_number(command, "nrhs", "K", settings.nrhs, {1, 100000},
             "number of right-hand sides without --rhs; the k-th is k A (1, ..., 1)")
      ->excludes(rhs);
  command
      .add_option(
          "--out", settings.out,
          "write the solution as a Matrix Market array (.mtx, .mtx.gz) or a NumPy array (.npy); -: "
          "Matrix Market to standard output, with the summary on standard error")
      ->type_name("FILE");
}

void add_method_options(CLI::App& command, SolveSettings& settings) {
  add_format(command, settings.format);
  add_options(command, settings, {configuration_option});
  add_ordering_options(command, settings);
  add_options(command, settings, {"matching"});
  add_options(command, settings, {"factorization"});
  command
      .add_option("--signs", settings.signs,
                  "file with the signs of the pivots for --factorization ldlt: 1 or -1 for each "
                  "row of the matrix, in one of the formats of --rhs")
      ->type_name("FILE");
  add_options(command, settings, {"regularization", "refine", "deterministic"});
  add_reals(command, "shift", "SIGMA,...", settings.shifts,
            "factor A - SIGMA I instead of A, one after another for several SIGMA; with "
            "--factorization ldlt, the inertia has the number of eigenvalues below SIGMA");
  suggest_matrices(command.add_option("--shift-matrix", settings.shift_matrix,
                                      "matrix B, to factor A - SIGMA B: a file or a generated test "
                                      "matrix, of the size of A"))
      ->type_name("MATRIX");
  add_number(command, "repeat", "K", settings.repeat, {1, 1000000},
             "number of factorizations of the same values, for measurements");
}

void add_schedule_options(CLI::App& command, SolveSettings& settings) {
  command
      .add_option("--html", settings.html,
                  "write a web page with charts of the tasks of the last factorization")
      ->type_name("FILE");
  command
      .add_option("--trace", settings.trace,
                  "write trace.json (for Perfetto or chrome://tracing) and gantt.svg into a folder")
      ->type_name("DIR");
}

void add_machine_options(CLI::App& command, SolveSettings& settings) {
  add_devices(command, settings, settings.coprocessors);
  add_scheduler_options(command, settings);
  add_number(command, "watchdog", "SECONDS", settings.watchdog, watchdog_seconds,
             "under mpirun: seconds without a response until a rank counts as lost and all "
             "ranks end; 0: never");
}

}  // namespace

void expect_different_files(const SolveSettings& settings) {
  std::vector<NamedPath> paths = ScheduleFiles::paths(settings.html, settings.trace);
  for (const std::string& path : settings.rhs) paths.push_back({"--rhs", path});
  // A and B may be the same matrix.
  if (settings.shift_matrix != settings.matrix) {
    paths.push_back({"--shift-matrix", settings.shift_matrix});
  }
  paths.insert(paths.begin(), {{"MATRIX", settings.matrix},
                               {"--signs", settings.signs},
                               {"--ordering", settings.analysis.ordering},
                               {"--tuning", file_of_tuning(settings.tuning)},
                               {"--out", settings.out},
                               {"--report", settings.report}});
  expect_different(paths);
}

void count_from_1(Report& report) {
  for (Index& column : report.factor.perturbed_columns) ++column;
}

bool chooses_pivots(const SolveSettings& settings, const Matrix& matrix) {
  if (!settings.signs.empty()) return false;
  if (settings.factor.factorization == Factorization::automatic) return has_bad_diagonal(matrix);
  return settings.factor.factorization == Factorization::ldlt;
}

Matrix load(const SolveSettings& settings) {
  const bool definite =
      settings.factor.factorization == Factorization::llt && settings.shifts.empty();
  return (definite ? Matrix::load : Matrix::load_indefinite)(settings.matrix, settings.format);
}

void throw_failed_pivot(const SolveSettings& settings, Index shift, Index column, Report& report) {
  report.bad_column = column + 1;
  const std::string name = name_of_matrix(settings, shift);
  if (!settings.signs.empty()) throw WrongPivotSign(name, column);
  throw NotPositiveDefinite(name, column);
}

RightHandSides right_hand_sides(const SolveSettings& settings, const Matrix& matrix) {
  if (!settings.rhs.empty()) return {settings.rhs, matrix.size()};
  // Bytes per row: an entry of b and an entry of the vector (1, ..., 1) that A multiplies.
  constexpr Count a_row = scalar.bytes_of(2);
  expect_available("a right-hand side", matrix.size() * a_row);
  return {matrix.multiply(std::vector<double>(static_cast<std::size_t>(matrix.size()), 1.0)),
          settings.nrhs};
}

TuningChoice tuning_for(const SolveSettings& settings, const StarpuInstance& starpu, Index ranks) {
  if (settings.factor.deterministic && settings.tuning.empty()) return {};
  return tuning_of_run(settings.tuning, starpu, ranks);
}

void expect_accurate(const std::string& matrix, double backward_error) {
  if (backward_error <= accepted_error) return;
  throw InaccurateSolution(fmt::format(
      "the backward error of the solution for {} is {:.2g}, above {:.0e}, so it was not written; "
      "check whether the matrix is singular or badly scaled, or allow more steps with --refine",
      matrix, backward_error, accepted_error));
}

namespace {

/// Adds --tune. It excludes devices and the options whose values it searches for.
void add_tune_flag(CLI::App& command, SolveSettings& settings) {
  CLI::Option* const tune = command.add_flag("--tune", settings.tune,
                                             "search for parameters that factor this matrix "
                                             "faster, for at most the predicted time of three "
                                             "factorizations");
  for (const char* const other :
       {"--panel-width", "--narrow-panel-width", "--amalgamation-widths", "--amalgamation-zeros",
        "--subtrees-per-worker", "--tile-rows", "--tuning", "--deterministic", "--coprocessors",
        "--cuda-devices"}) {
    tune->excludes(command.get_option(other));
  }
}

}  // namespace

Command add_solve(CLI::App& program) {
  auto settings = std::make_shared<SolveSettings>();
  CLI::App* const command = program.add_subcommand("solve",
                                                   "Solve A x = b for a sparse, symmetric matrix A "
                                                   "that is positive definite or indefinite.");
  add_matrix_or_stream(*command, settings->matrix);
  add_vector_options(*command, *settings);
  add_options(*command, *settings, {"workers", "memory-limit"});
  add_output_options(*command, settings->report, settings->quiet);
  add_verbose(*command, settings->verbose);
  add_schedule_options(*command, *settings);
  add_method_options(*command, *settings);
  add_machine_options(*command, *settings);
  add_options(*command, *settings, {"costs", "device-costs"});
  add_structure_options(*command, *settings);
  add_task_options(*command, *settings);
  add_tuning(*command, settings->tuning);
  add_tune_flag(*command, *settings);
  group_options(*command);
  command->footer(std::string(solve_examples) + exit_codes);
  return {command, [settings] { run(*settings); }};
}

}  // namespace espalier::internal
