// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "commands/commands.hpp"
#include "commands/solve_settings.hpp"
#include "launch/watchdog.hpp"
#include "schedulers/configurations.hpp"

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
  add_save_ordering(command, settings.saved_ordering);
  add_options(command, settings, {"matching"});
  add_options(command, settings, {"factorization"});
  command
      .add_option("--signs", settings.signs,
                  "file with the signs of the pivots for --factorization ldlt: 1 or -1 for each "
                  "row of the matrix, in one of the formats of --rhs; -: text from standard input")
      ->type_name("FILE");
  add_options(command, settings, {"regularization", "refine", "deterministic"});
  add_reals(command, "shift", "SIGMA,...", settings.shifts,
            "factor A - SIGMA I instead of A, one after another for several SIGMA, but only one "
            "SIGMA on several ranks; with --factorization ldlt or auto, the inertia has the number "
            "of eigenvalues below SIGMA");
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
  return {command, [settings] { run_solve(*settings); }, true};
}

}  // namespace espalier::internal
