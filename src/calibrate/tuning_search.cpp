// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/tuning_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/search_budget.hpp"

namespace espalier::internal {

namespace {

/// The temperatures, in units of the predicted time with the defaults.
constexpr Cooling cooling{0.01, 0.0002};
/// Maximum step of the first and of the last steps, as a fraction of a parameter's range.
constexpr double widest_reach = 0.5;
constexpr double narrowest_reach = 0.05;
constexpr double two_at_once = 0.25;  ///< probability that two parameters change
constexpr double kept_gain = 0.95;

/// Returns the reach of a step when this share of the search is finished.
double reach_at(double share) {
  return widest_reach * std::pow(narrowest_reach / widest_reach, share);
}

/// Maps the values of a parameter to positions in [0, 1].
class Scale {
 public:
  explicit Scale(const TuningParameter& parameter)
      : parameter_(parameter),
        low_(coordinate(parameter.lowest)),
        high_(coordinate(parameter.highest)) {}

  double position(double value) const {
    const double inside = std::clamp(value, parameter_.lowest, parameter_.highest);
    return (coordinate(inside) - low_) / (high_ - low_);
  }

  double value(double position) const {
    const double at = low_ + std::clamp(position, 0.0, 1.0) * (high_ - low_);
    const double exact = parameter_.geometric ? std::exp(at) : at;
    const double rounded = parameter_.rounded(exact);
    const bool unlimited = parameter_.open && rounded >= parameter_.highest;
    return unlimited ? std::numeric_limits<Index>::max()
                     : std::clamp(rounded, parameter_.lowest, parameter_.highest);
  }

 private:
  double coordinate(double value) const { return parameter_.geometric ? std::log(value) : value; }

  const TuningParameter& parameter_;
  double low_;
  double high_;
};

void change_one(Tuning& tuning, double reach, RandomNumbers& random,
                std::span<const TuningParameter> parameters) {
  const TuningParameter& parameter = parameters[random.below(parameters.size())];
  const Scale scale(parameter);
  const double before = parameter.of(tuning);
  const double at = scale.position(before);
  double value = before;
  // A small step may be rounded to zero.
  for (double step = reach; value == before; step *= 2) {
    value = scale.value(at + step * (2 * random.uniform() - 1));
  }
  parameter.set(tuning, value);
}

}  // namespace

Tuning neighbour(Tuning tuning, double reach, RandomNumbers& random,
                 std::span<const TuningParameter> parameters) {
  change_one(tuning, reach, random, parameters);
  if (random.uniform() < two_at_once) change_one(tuning, reach, random, parameters);
  return tuning;
}

Candidate simplified(Candidate candidate, const Objective& objective) {
  const double limit = 1 - kept_gain * (1 - candidate.objective);
  for (const TuningParameter& parameter : planned_parameters()) {
    Tuning simpler = candidate.tuning;
    parameter.set(simpler, parameter.of({}));
    if (equal(simpler, candidate.tuning)) continue;
    const double reached = objective(simpler);
    if (reached <= limit) candidate = {simpler, reached};
  }
  return candidate;
}

bool equal(const Tuning& a, const Tuning& b) {
  const auto parameters = tuning_parameters();
  return std::all_of(parameters.begin(), parameters.end(), [&](const TuningParameter& parameter) {
    return parameter.of(a) == parameter.of(b);
  });
}

std::optional<Candidate> search(const Tuning& start, const Objective& objective,
                                const SearchOptions& options,
                                const std::function<void(double share, double gain)>& progress) {
  RandomNumbers random(options.seed);
  Budget budget(options);
  double least = 1;
  const auto value = [&](const Tuning& tuning) {
    const double reached = objective(tuning);
    least = std::min(least, reached);
    return reached;
  };
  const auto move = [&](const Tuning& tuning, double share) {
    progress(share, 1 - least);
    return neighbour(tuning, reach_at(share), random);
  };
  const auto spent = [&] { return budget.spent(); };
  const auto best = anneal(start, value, move, spent, cooling, random).back();
  if (best.value >= 1) return std::nullopt;
  if (options.evaluation_seconds > 0) return Candidate{best.state, best.value};
  return simplified({best.state, best.value}, objective);
}

Candidate search_from_anywhere(const Objective& objective, const SearchOptions& options,
                               std::span<const TuningParameter> parameters) {
  RandomNumbers random(options.seed);
  Budget budget(options);
  Tuning start;
  for (const TuningParameter& parameter : parameters) {
    parameter.set(start, Scale(parameter).value(random.uniform()));
  }
  const double at_start = std::abs(objective(start));
  const double unit = at_start > 0 ? at_start : 1;
  const auto value = [&](const Tuning& tuning) { return objective(tuning) / unit; };
  const auto move = [&](const Tuning& tuning, double share) {
    return neighbour(tuning, reach_at(share), random, parameters);
  };
  const auto best = anneal(
                        start, value, move, [&] { return budget.spent(); }, cooling, random)
                        .back();
  return {best.state, best.value};
}

}  // namespace espalier::internal
