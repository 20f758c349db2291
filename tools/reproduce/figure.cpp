// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/figure.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/readable.hpp"

namespace espalier::internal {

std::string readable(double value, Unit unit) {
  if (std::isnan(value)) return "-";
  switch (unit) {
    case Unit::seconds: return readable_seconds(value);
    case Unit::factor: return fmt::format("{:.2f}", value);
    case Unit::percent: return fmt::format("{:.1f} %", 100 * value);
    case Unit::count: return fmt::format("{:.0f}", value);
    case Unit::flops: return fmt::format("{:.2e}", value);
    case Unit::rate: return fmt::format("{:.3g} GB/s", value * 1e-9);
  }
  return {};
}

double mean_factor(const std::vector<double>& values) {
  double sum = 0;
  int count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += std::log(value);
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> over(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratio;
  for (std::size_t k = 0; k < a.size(); ++k) ratio.push_back(a[k] / b[k]);
  return ratio;
}

Below below(const std::vector<double>& less, const std::vector<double>& more) {
  int count = 0;
  int all = 0;
  for (std::size_t k = 0; k < less.size(); ++k) {
    if (std::isnan(less[k]) || std::isnan(more[k])) continue;
    ++all;
    count += less[k] < more[k] ? 1 : 0;
  }
  return {fmt::format("{} of {}", count, all), all > 0 && count == all};
}

}  // namespace espalier::internal
