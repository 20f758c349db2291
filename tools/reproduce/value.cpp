// SPDX-License-Identifier: BSD-3-Clause
#include "reproduce/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/readable.hpp"
#include "compare/comparison.hpp"

namespace espalier::internal {

namespace {

/// Returns the number of runs of a result: the smaller one, but not that of an exact operand.
Index runs_of_both(const Value& a, const Value& b) {
  if (a.runs == 0 || b.runs == 0) return std::max(a.runs, b.runs);
  return std::min(a.runs, b.runs);
}

template <class Operation>
std::vector<Value> by_value(const std::vector<Value>& a, const std::vector<Value>& b,
                            Operation operation) {
  std::vector<Value> results;
  for (std::size_t k = 0; k < a.size(); ++k) results.push_back(operation(a[k], b[k]));
  return results;
}

}  // namespace

Value exact(double value) { return {value, value, value, 0}; }

Value of_runs(const std::vector<double>& runs) {
  std::vector<double> sorted = runs;
  std::ranges::sort(sorted);
  const std::size_t disturbed = sorted.size() / 5;
  return {median(runs), sorted[disturbed], sorted[sorted.size() - 1 - disturbed],
          static_cast<Index>(runs.size())};
}

Value operator+(const Value& a, const Value& b) {
  return {a.median + b.median, a.lowest + b.lowest, a.highest + b.highest, runs_of_both(a, b)};
}

Value operator-(const Value& a, const Value& b) {
  return {a.median - b.median, a.lowest - b.highest, a.highest - b.lowest, runs_of_both(a, b)};
}

Value operator/(const Value& a, const Value& b) {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  const double highest = b.lowest > 0 || b.missing() ? a.highest / b.lowest : unbounded;
  return {a.median / b.median, a.lowest / b.highest, highest, runs_of_both(a, b)};
}

std::vector<Value> over(const std::vector<Value>& a, const std::vector<Value>& b) {
  return by_value(a, b, [](const Value& x, const Value& y) { return x / y; });
}

std::vector<Value> plus(const std::vector<Value>& a, const std::vector<Value>& b) {
  return by_value(a, b, [](const Value& x, const Value& y) { return x + y; });
}

std::vector<Value> minus(const std::vector<Value>& a, const std::vector<Value>& b) {
  return by_value(a, b, [](const Value& x, const Value& y) { return x - y; });
}

Value mean_factor(const std::vector<Value>& values) {
  Value logarithms = exact(0);
  int count = 0;
  for (const Value& value : values) {
    if (value.missing()) continue;
    logarithms = logarithms + Value{std::log(value.median), std::log(value.lowest),
                                    std::log(value.highest), value.runs};
    ++count;
  }
  if (count == 0) return {};
  const auto mean = [&](double sum) { return std::exp(sum / count); };
  return {mean(logarithms.median), mean(logarithms.lowest), mean(logarithms.highest),
          logarithms.runs};
}

std::string readable(double value, Unit unit) {
  if (std::isnan(value)) return "-";
  switch (unit) {
    case Unit::seconds: return readable_seconds(value);
    case Unit::factor: return fmt::format("{:.2f}", value);
    case Unit::percent: return fmt::format("{:.1f} %", 100 * value);
    case Unit::count: return fmt::format("{:.0f}", value);
    case Unit::flops: return fmt::format("{:.2e}", value);
    case Unit::flop_rate: return fmt::format("{:.3g} Gflop/s", value * 1e-9);
    case Unit::rate: return fmt::format("{:.3g} GB/s", value * 1e-9);
  }
  return {};
}

std::string readable_range(const Value& value, Unit unit) {
  if (value.missing() || value.lowest == value.highest) return {};
  return readable(value.lowest, unit) + " to " + readable(value.highest, unit);
}

}  // namespace espalier::internal
