// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "base/options.hpp"
#include "calibrate/annealing.hpp"

namespace espalier::internal {

/// What is predicted with a tuning, in units of what is predicted with the defaults.
using Objective = std::function<double(const Tuning&)>;

struct SearchOptions {
  double seconds = 60;
  Index iterations = 0;  ///< where positive, these end the search and not the time
  unsigned seed = 1;
  /// Where positive, a search of a matrix for itself: it ends before a look that would pass its
  /// time if it took so many seconds, or as many as the longest before, and nothing is set back
  /// after it.
  double look_seconds = 0;
};

/// A tuning that is predicted to be better than the defaults.
struct Candidate {
  Tuning tuning;
  double objective = 1;
};

/// Takes a step away from a tuning: one parameter, at times two, change by at most `reach` of the
/// whole range.
Tuning neighbour(Tuning tuning, double reach, RandomNumbers& random,
                 std::span<const TuningParameter> parameters = tuning_parameters());

/// Sets as many parameters as possible back to their defaults, one after another, while 95 % of the
/// predicted gain is left: what these matrices do not need should not change for others.
Candidate simplified(Candidate candidate, const Objective& objective);

bool equal(const Tuning& a, const Tuning& b);

/// Returns the best tuning by simulated annealing (swCholesky, section 3.4), simplified; none where
/// nothing is predicted to be better than the defaults. `progress` is told the share of the search
/// that is done and the gain so far.
std::optional<Candidate> search(const Tuning& start, const Objective& objective,
                                const SearchOptions& options,
                                const std::function<void(double share, double gain)>& progress);

/// Returns the best tuning of the search of swCholesky (section 3.4.4): of these parameters, from
/// random values inside their ranges on; all others keep their defaults. The objective may have any
/// unit and sign; that of the candidate is in units of its size at the start.
Candidate search_from_anywhere(const Objective& objective, const SearchOptions& options,
                               std::span<const TuningParameter> parameters);

}  // namespace espalier::internal
