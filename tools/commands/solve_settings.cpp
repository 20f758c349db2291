// SPDX-License-Identifier: BSD-3-Clause
#include "commands/solve_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "base/scalar.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "commands/shifted_matrices.hpp"
#include "espalier/espalier.hpp"
#include "launch/ranks.hpp"
#include "matrix/matrix_part.hpp"
#include "ordering/ordering.hpp"
#include "plan/plan.hpp"
#include "schedulers/configurations.hpp"
#include "solver/automatic_factorization.hpp"

namespace espalier::internal {

namespace {

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

/// Throws UsageError if --kernels, or a configuration, chooses kernels that L J Lᵀ does not have.
void expect_own_kernels(const SolveSettings& settings) {
  const DenseKernels::Source kernels = settings.factor.kernels.from;
  if (kernels == DenseKernels::Source::automatic) return;
  const bool given = std::ranges::any_of(settings.given, [](const std::string& assignment) {
    return assignment.starts_with("kernels=");
  });
  const std::string factorization = name_of(settings.factor.factorization);
  if (given) {
    throw UsageError(
        fmt::format("--factorization {} has separate kernels; give --kernels auto instead of "
                    "--kernels {}",
                    factorization, name_of(kernels)));
  }
  throw UsageError(fmt::format(
      "--factorization {} has separate kernels, but --{} {} chooses the kernels {}; "
      "add --kernels auto",
      factorization, configuration_option, settings.analysis.configuration.name, name_of(kernels)));
}

/// Throws UsageError if options do not support A = L J Lᵀ, or need it.
void expect_supported(const SolveSettings& settings) {
  const Factorization kind = settings.factor.factorization;
  if (kind != Factorization::llt) expect_own_kernels(settings);
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

/// Throws UsageError if two inputs are standard input.
void expect_one_stream(const SolveSettings& settings) {
  std::vector<std::string> inputs = settings.rhs;
  inputs.insert(inputs.end(), {settings.matrix, settings.shift_matrix, settings.signs});
  if (std::ranges::count(inputs, standard_input) <= 1) return;
  throw UsageError(
      "only one of the matrix, --shift-matrix, --signs and each --rhs can come from standard "
      "input; give the others by their files");
}

}  // namespace

void name_streams(SolveSettings& settings) {
  name_stream(settings.matrix, standard_input);
  name_stream(settings.shift_matrix, standard_input);
  name_stream(settings.signs, standard_input);
  for (std::string& path : settings.rhs) name_stream(path, standard_input);
  name_stream(settings.out, standard_output);
}

void expect_compatible(const SolveSettings& settings) {
  expect_one_stream(settings);
  expect_supported(settings);
  expect_shiftable(settings);
  expect_format_of_parts(settings);
  expect_tunable(settings);
  expect_cuda_for(settings.runtime.cuda_devices);
  expect_vector_file_name("--out", settings.out);
}

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
                               {"--save-ordering", settings.saved_ordering},
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
  if (!std::isfinite(backward_error)) {
    throw InaccurateSolution(fmt::format(
        "numbers overflow in the right-hand sides, the solution or the residual for {}, "
        "so no solution was written; multiply the matrix or the right-hand sides by a "
        "power of 2 that brings their entries closer to 1",
        matrix));
  }
  throw InaccurateSolution(fmt::format(
      "the backward error of the solution for {} is {:.2g}, above {:.0e}, so it was not written; "
      "check whether the matrix is singular or badly scaled, or allow more steps with --refine",
      matrix, backward_error, accepted_error));
}

}  // namespace espalier::internal
