// SPDX-License-Identifier: BSD-3-Clause

#include "base/readable.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace espalier::internal {

std::string readable_seconds(double seconds) {
  constexpr std::array<std::string_view, 4> units{"s", "ms", "us", "ns"};
  std::size_t k = 0;
  for (; seconds > 0 && seconds < 0.9995 && k + 1 < units.size(); ++k) seconds *= 1000;
  const int decimals = seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", seconds, decimals, units[k]);
}

namespace {

/// Returns the value with three digits and the prefix of a power of 1000: "3.21 G".
std::string with_prefix(double value) {
  constexpr std::array<std::string_view, 6> prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t k = 0;
  for (; value >= 999.5 && k + 1 < prefixes.size(); ++k) value /= 1000;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, k == 0 ? 0 : decimals, prefixes[k]);
}

}  // namespace

std::string readable_amount(double value, std::string_view unit) {
  return with_prefix(value) + std::string(unit);
}

std::string readable_entries(Count count) {
  constexpr Count exact = 100000;
  if (count < exact) return fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
  return with_prefix(static_cast<double>(count)) + " entries";
}

std::string counted(Count count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string source_of_costs(std::string_view source, std::string_view file, std::string_view date) {
  if (source == "calibrated" || source == "named") {
    return fmt::format("the calibration of {}, {}", date, file);
  }
  if (source == "shipped") return fmt::format("the shipped table {} of {}", file, date);
  if (source == "scaled") {
    return fmt::format("the costs of another processor of {}, scaled to published rates by {}",
                       date, file);
  }
  if (source == "simulated") return fmt::format("the simulated machine {}", file);
  return "built-in estimates";
}

}  // namespace espalier::internal
