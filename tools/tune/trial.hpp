// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

/// Times of factorizations of one matrix, with the defaults and with a tuning, in seconds.
struct MatrixGain {
  std::string matrix;
  double predicted_default = 0;
  double predicted_tuned = 0;
  double measured_default = 0;
  double measured_tuned = 0;

  double predicted() const { return 1 - predicted_tuned / predicted_default; }
  double measured() const { return 1 - measured_tuned / measured_default; }
};

/// Return the average gain over the matrices.
double predicted_gain(std::span<const MatrixGain> gains);
double measured_gain(std::span<const MatrixGain> gains);

/// Minimum gain. Measurements cannot distinguish smaller gains from none.
inline constexpr double least_gain = 0.005;
/// Maximum relative loss of a single matrix.
inline constexpr double most_loss = 0.02;

/// Returns the reason why a tuning must not be used, or an empty string. The text follows the name
/// of the tuning.
std::string objection(std::span<const MatrixGain> gains);

/// Returns whether the first tuning is better than the second one, for the same matrices. A tuning
/// without an objection is better than one with an objection; otherwise the larger measured gain
/// decides.
bool better(std::span<const MatrixGain> gains, std::span<const MatrixGain> than);

/// Replaces the measured times by those of another measurement of the same matrices. The predicted
/// times stay.
std::vector<MatrixGain> remeasured(std::vector<MatrixGain> gains,
                                   std::span<const MatrixGain> again);

/// Median times of factorizations in seconds, and some of their tasks.
struct Trial {
  double with_defaults = 0;
  double tuned = 0;
  std::vector<TaskRun> tasks;
};

/// Factorizes with the defaults and with the tuning in turns, `rounds` times each, after some
/// factorizations to warm up. `options` has the options that are not tuned. Throws
/// NotPositiveDefinite.
Trial measure_tuning(const Runtime& runtime, const Matrix& matrix, const Tuning& tuning,
                     Index rounds, const FactorOptions& options = {});

}  // namespace espalier::internal
