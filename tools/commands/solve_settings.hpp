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

/// What the command line of `solve` asks for.
struct SolveSettings : Options {
  std::string matrix;
  FileFormat format = FileFormat::automatic;  ///< of the matrix
  std::vector<std::string> rhs;
  std::string out;
  std::string report;
  std::string html;
  std::string trace;  ///< a folder
  Index nrhs = 1;
  Index repeat = 1;
  Index watchdog = 30;  ///< seconds
  Coprocessors coprocessors;
  bool tune = false;
  std::string tuning;
  bool quiet = false;
  bool verbose = false;

  Detail detail() const { return verbose ? Detail::all : Detail::everyday; }
};

/// Throws UsageError where two of the files are the same.
void expect_different_files(const SolveSettings& settings);

/// Returns the right-hand sides of --rhs, else those of known solutions, multiples of (1, ..., 1).
RightHandSides right_hand_sides(const SolveSettings& settings, const Matrix& matrix);

/// Returns what fills what the options leave empty on this StarPU, that of one of so many ranks.
/// With --deterministic it is what --tuning names alone: what was measured may change from run to
/// run. Throws InputError where a named file is of no use.
TuningChoice tuning_for(const SolveSettings& settings, const StarpuInstance& starpu,
                        Index ranks = 1);

/// Throws InaccurateSolution when the error is above what is accepted.
void expect_accurate(double backward_error);

/// Solves once with all ranks that mpirun has started, this one among them.
void run_on_ranks(SolveSettings settings);

}  // namespace espalier::internal
