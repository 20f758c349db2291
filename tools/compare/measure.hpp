// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "compare/comparison.hpp"
#include "compare/program_run.hpp"
#include "espalier/bindings.hpp"

namespace espalier::internal {

/// Options of a comparison. Only the analysis and factor options of the base class are used.
struct MeasureOptions : Options {
  Index rounds = 5;
  std::string tuning;  ///< as chosen_tuning() reads it
  /// The same options as words of the command line, for other processes.
  std::vector<std::string> words;
};

/// Number of untimed factorizations after each start of StarPU. They touch the memory and wake the
/// workers.
inline constexpr Index warming_runs = 2;
/// Number of timed factorizations after the untimed ones.
inline constexpr Index timed_runs = 3;

/// Runs all policies in rounds. Each run starts StarPU and factorizes. Each round begins with
/// another policy. If possible, the runs take place in this process, which analyzes the matrix
/// once. With ranks or devices, each run is a new process `solve`.
///
/// Throws UnknownScheduler if StarPU runs another policy, and InaccurateSolution if the solution
/// with a policy's factor is not accurate. Also throws NotPositiveDefinite, and the error of a
/// failed process.
Comparison measure(const std::string& matrix, const RunPlace& place,
                   const std::vector<PolicyChoice>& policies, const MeasureOptions& options,
                   Progress& progress);

/// Runs `solve` and returns its result, like run_program(). Throws the error of a failed run,
/// worded by failure_of_run(). Throws UsageError if the run needs CUDA devices and found none.
ProgramRun successful_run(const RunCase& what, const RunMode& mode);

/// Returns the seconds of the timed factorizations, without the first ones.
std::vector<double> timed_seconds(const ProgramRun& run);

/// Returns the message of `compare` for a failed run of `solve`. It omits the advice of `solve`,
/// which is about options that `compare` does not have.
std::string failure_of_run(const std::string& said, const std::string& matrix,
                           const std::string& policy, const RunPlace& place);

/// Returns a description such as "2 ranks with 1 CPU worker and 1 coprocessor each".
std::string name_of(const RunPlace& place);

}  // namespace espalier::internal
