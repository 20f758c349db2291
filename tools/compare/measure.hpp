// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "compare/comparison.hpp"
#include "compare/program_run.hpp"
#include "espalier/bindings.hpp"

namespace espalier::internal {

/// Those of the analysis and of the factor count.
struct MeasureOptions : Options {
  Index rounds = 5;
  std::string tuning;  ///< as chosen_tuning() reads it
  /// The same options as the command line has them, for processes of their own.
  std::vector<std::string> words;
};

/// Untimed factorizations after each start of StarPU: they touch the memory and wake the workers.
inline constexpr Index warming_runs = 2;
/// Timed ones after them.
inline constexpr Index timed_runs = 3;

/// Starts StarPU with each policy in turn and factorizes, in as many rounds, each of which begins
/// with another policy: in this process, which analyzes the matrix once, or, with ranks and
/// devices, in new ones that `solve`. Throws UnknownScheduler where StarPU runs another policy,
/// NotPositiveDefinite, InaccurateSolution where a solve with the factor of a policy is not
/// accurate, and what a process failed with.
Comparison measure(const std::string& matrix, const RunPlace& place,
                   const std::vector<PolicyChoice>& policies, const MeasureOptions& options,
                   Progress& progress);

/// Returns what a run of `solve` came to, as run_program() does. Throws what it failed with, in the
/// words below, and UsageError where it was to have CUDA devices and found none.
ProgramRun successful_run(const RunCase& what, const RunMode& mode);

/// Returns the seconds of its factorizations after the warming ones.
std::vector<double> timed_seconds(const ProgramRun& run);

/// Returns a failure of a run of `solve` in the words of `compare`: without its advice, which is on
/// options of `solve`.
std::string failure_of_run(const std::string& said, const std::string& matrix,
                           const std::string& policy, const RunPlace& place);

/// Returns "2 ranks with 1 CPU worker and 1 coprocessor each".
std::string name_of(const RunPlace& place);

}  // namespace espalier::internal
