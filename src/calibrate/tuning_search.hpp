// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "base/options.hpp"
#include "calibrate/annealing.hpp"
#include "calibrate/search_budget.hpp"

namespace espalier::internal {

/// Returns the prediction for a tuning, divided by the prediction for the defaults.
using Objective = std::function<double(const Tuning&)>;

/// A tuning that is predicted to be better than the defaults.
struct Candidate {
  Tuning tuning;
  double objective = 1;
};

/// Returns a random neighbour of a tuning: one parameter, sometimes two, changed by at most `reach`
/// of their ranges.
Tuning neighbour(Tuning tuning, double reach, RandomNumbers& random,
                 std::span<const TuningParameter> parameters = planned_parameters());

/// Sets as many parameters as possible back to their defaults, one after another, as long as 95 %
/// of the predicted gain remains. So the tuning keeps the defaults of parameters that these
/// matrices do not need, for the sake of other matrices.
Candidate simplified(Candidate candidate, const Objective& objective);

bool equal(const Tuning& a, const Tuning& b);

/// Returns the best tuning by simulated annealing (swCholesky, section 3.4), simplified, or nothing
/// if no tuning is predicted to be better than the defaults. Calls `progress` with the finished
/// share of the search and the gain so far.
std::optional<Candidate> search(const Tuning& start, const Objective& objective,
                                const SearchOptions& options,
                                const std::function<void(double share, double gain)>& progress);

/// Returns the best tuning of the search of swCholesky (section 3.4.4). The search starts from
/// random values of these parameters inside their ranges; all others keep their defaults. The
/// objective may have any unit and sign. Candidate::objective is relative to the absolute value of
/// the objective at the start.
Candidate search_from_anywhere(const Objective& objective, const SearchOptions& options,
                               std::span<const TuningParameter> parameters);

}  // namespace espalier::internal
