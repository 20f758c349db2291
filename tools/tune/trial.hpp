// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

/// What a tuning did for one matrix: times of factorizations with the defaults and with it.
struct MatrixGain {
  std::string matrix;
  double predicted_default = 0;
  double predicted_tuned = 0;
  double measured_default = 0;
  double measured_tuned = 0;

  double predicted() const { return 1 - predicted_tuned / predicted_default; }
  double measured() const { return 1 - measured_tuned / measured_default; }
};

/// Returns the mean over the matrices.
double predicted_gain(std::span<const MatrixGain> gains);
double measured_gain(std::span<const MatrixGain> gains);

/// Measuring does not tell a gain below this share from none.
inline constexpr double least_gain = 0.005;
/// A single matrix may lose this share.
inline constexpr double most_loss = 0.02;

/// Says why a tuning is not to be used, in words that follow its name; empty where it is.
std::string objection(std::span<const MatrixGain> gains);

/// Says whether the first of two tunings of the same matrices is to be preferred: without an
/// objection to one with, else by what it was measured to save.
bool better(std::span<const MatrixGain> gains, std::span<const MatrixGain> than);

/// Joins the predicted times of one measurement with the measured ones of another, of the same
/// matrices.
std::vector<MatrixGain> remeasured(std::vector<MatrixGain> gains,
                                   std::span<const MatrixGain> again);

/// Medians of the times of factorizations, and the tasks of some.
struct Trial {
  double with_defaults = 0;
  double tuned = 0;
  std::vector<TaskRun> tasks;
};

/// Factorizes with the defaults and with the tuning by turns, `rounds` times, after some of each to
/// warm up. Throws NotPositiveDefinite.
Trial measure_tuning(const Runtime& runtime, const Matrix& matrix, const Tuning& tuning,
                     Index rounds);

}  // namespace espalier::internal
