// SPDX-License-Identifier: BSD-3-Clause
#include "tune/verdict.hpp"

#include <fmt/format.h>

namespace espalier {

namespace {

double mean(std::span<const MatrixGain> gains, double (MatrixGain::*gain)() const) {
  double sum = 0;
  for (const MatrixGain& one : gains) sum += (one.*gain)();
  return sum / static_cast<double>(gains.size());
}

}  // namespace

double predicted_gain(std::span<const MatrixGain> gains) {
  return mean(gains, &MatrixGain::predicted);
}

double measured_gain(std::span<const MatrixGain> gains) {
  return mean(gains, &MatrixGain::measured);
}

std::string objection(std::span<const MatrixGain> gains) {
  for (const MatrixGain& one : gains) {
    if (-one.measured() > most_loss) {
      return fmt::format("{} loses {:.1f} %", one.matrix, -100 * one.measured());
    }
  }
  const double gain = measured_gain(gains);
  if (gain < least_gain) return fmt::format("the measured gain is {:.1f} %", 100 * gain);
  return "";
}

bool better(std::span<const MatrixGain> gains, std::span<const MatrixGain> than) {
  const bool usable = objection(gains).empty();
  if (usable != objection(than).empty()) return usable;
  return measured_gain(gains) > measured_gain(than);
}

std::vector<MatrixGain> remeasured(std::vector<MatrixGain> gains,
                                   std::span<const MatrixGain> again) {
  for (std::size_t i = 0; i < gains.size(); ++i) {
    gains[i].measured_default = again[i].measured_default;
    gains[i].measured_tuned = again[i].measured_tuned;
  }
  return gains;
}

}  // namespace espalier
