// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "calibrate/annealing.hpp"
#include "calibrate/search_budget.hpp"
#include "compare/program_run.hpp"
#include "schedulers/options.hpp"
#include "tune/trial.hpp"

namespace espalier::internal {

/// Values of a policy's options by their keys. Other options keep the values that the user gave.
using OptionValues = std::map<std::string, std::string, std::less<>>;

/// The policy whose options are searched, and the runs that time it.
struct PolicyBench {
  RunCase there;  ///< the policy, as `compare --sched` takes it, and its place
  RunMode mode;
  std::vector<std::string> matrices;
  std::vector<SearchedOption> options;  ///< options that may change
  OptionValues before;                  ///< their values without a search

  /// Returns the policy with these values, as `compare --sched` takes it.
  std::string policy_with(const OptionValues& values) const;
};

/// Finds the options that may change. Options that the user set stay. Throws UsageError if no
/// option may change, and the errors of parse_policies().
PolicyBench policy_bench(RunCase there, const RunMode& mode, std::vector<std::string> matrices);

/// Changes a random option to a random value of its range. `share` is the finished share of the
/// search: the larger it is, the nearer is the value to the current one.
OptionValues neighbour(const PolicyBench& bench, OptionValues values, double share,
                       RandomNumbers& random);

/// Returns the seconds of a factorization of a matrix with these values.
using OptionSeconds = std::function<double(const std::string& matrix, const OptionValues& values)>;

/// Returns the median seconds of the timed factorizations of one process, or the simulated
/// makespan.
double measured_seconds(const PolicyBench& bench, const std::string& matrix,
                        const OptionValues& values);

/// Searches for the values with the least time by simulated annealing. The objective is the mean
/// over the matrices of the time relative to the time at the start. Returns no values if nothing
/// was faster. Calls `progress` with the finished share of the search and the gain so far. symPACK
/// leaves the search for thresholds to future work (section 6).
OptionValues search_options(const PolicyBench& bench, const OptionSeconds& seconds,
                            const SearchOptions& options,
                            const std::function<void(double share, double gain)>& progress);

/// Times the policy with and without these values in turns, `rounds` processes each.
std::vector<MatrixGain> option_gains(const PolicyBench& bench, const OptionSeconds& seconds,
                                     const OptionValues& values, Index rounds);

}  // namespace espalier::internal
