// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/summary.hpp"
#include "cli/tuning.hpp"
#include "espalier/bindings.hpp"
#include "launch/coprocessors.hpp"
#include "matrix/right_hand_sides.hpp"

namespace espalier::internal {

/// The options of `solve` on the command line.
struct SolveSettings : Options {
  std::string matrix;
  FileFormat format = FileFormat::automatic;  ///< format of the matrix file
  std::vector<std::string> rhs;
  std::string signs;  ///< file with the signs of the pivots
  std::vector<double> shifts;
  std::string shift_matrix;  ///< empty for the identity matrix
  std::string out;
  std::string saved_ordering;  ///< file for the ordering, or empty
  std::string report;
  std::string html;
  std::string trace;  ///< folder for the trace
  Index nrhs = 1;
  Index repeat = 1;
  Index watchdog = 30;  ///< seconds, 0 for none
  Coprocessors coprocessors;
  bool tune = false;
  std::string tuning;
  bool quiet = false;
  bool verbose = false;

  Detail detail() const { return verbose ? Detail::all : Detail::everyday; }
};

/// Replaces "-" by the path of the stream.
void name_streams(SolveSettings& settings);

/// Throws UsageError if two options do not go together, if one needs another, or if this program
/// does not support one.
void expect_compatible(const SolveSettings& settings);

/// Returns whether the factorization of a matrix certainly chooses its pivots. With
/// --factorization auto, it may also do so after L Lᵀ has failed.
bool chooses_pivots(const SolveSettings& settings, const Matrix& matrix);

/// Throws UsageError if two of the files are the same.
void expect_different_files(const SolveSettings& settings);

/// Counts the columns of replaced pivots from 1, as in the files of matrices.
void count_from_1(Report& report);

/// Reads or generates the matrix, without a shift. Factorizations of positive definite matrices
/// refuse missing diagonal entries, unless a shift changes them.
Matrix load(const SolveSettings& settings);

/// Stores the column of a failed pivot in the report, counted from 1. Throws WrongPivotSign if
/// there are signs, else NotPositiveDefinite. The message names the matrix of this shift.
[[noreturn]] void throw_failed_pivot(const SolveSettings& settings, Index shift, Index column,
                                     Report& report);

/// Returns the right-hand sides of --rhs. Without --rhs the k-th of them is k A (1, ..., 1).
RightHandSides right_hand_sides(const SolveSettings& settings, const Matrix& matrix);

/// Returns the tuning for values that the options do not set, for this StarPU and this number of
/// ranks. With --deterministic only a file named by --tuning counts, because measured tunings may
/// change from run to run. Throws InputError if a named file cannot be used.
TuningChoice tuning_for(const SolveSettings& settings, const StarpuInstance& starpu,
                        Index ranks = 1);

/// Throws InaccurateSolution if the error of the solution for the matrix of this name is above
/// `accepted_error`.
void expect_accurate(const std::string& matrix, double backward_error);

/// Solves with these options, in one process or several.
void run_solve(SolveSettings settings);
/// Solves once with all ranks of mpirun. Each rank calls it.
void run_on_ranks(SolveSettings settings);

}  // namespace espalier::internal
