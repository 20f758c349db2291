// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/equilibration.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "scaling/coarse_log2.hpp"

namespace espalier::internal {

namespace {

/// Number of passes that equilibrate any matrix of doubles.
constexpr int most_passes = 13;

/// Products of two scales neither overflow nor lose bits.
constexpr float largest_exponent = 511;

/// Returns the logarithms of all entries.
std::vector<float> logs_of(std::span<const double> values) {
  std::vector<float> logs(values.size());
  std::ranges::transform(values, logs.begin(), coarse_log2);
  return logs;
}

/// Sets the maxima of the rows of a matrix, given the logarithms of its entries: see
/// RowsToScale::find_maxima.
void find_row_maxima(const PatternView& pattern, std::span<const float> logs,
                     std::span<const float> x, std::span<float> maximum) {
  std::ranges::fill(maximum, no_entry);
  for (Index j = 0; j < pattern.n; ++j) {
    float of_column = no_entry;
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const Index i = pattern.row[k];
      const float entry = logs[k];
      of_column = std::max(of_column, entry + x[i]);
      maximum[i] = std::max(maximum[i], entry + x[j]);
    }
    maximum[j] = std::max(maximum[j], of_column);
  }
}

/// Logarithms of the largest entries of rows: the smallest of them, negated, and the largest.
using Extremes = std::array<float, 2>;

/// Scales each row and its column by the square root of the row's largest scaled entry. Returns the
/// extremes before.
Extremes scale_rows(std::span<const float> maximum, std::span<float> x) {
  float lowest = std::numeric_limits<float>::max(), highest = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (maximum[i] == no_entry) continue;
    const float scaled = maximum[i] + x[i];
    lowest = std::min(lowest, scaled);
    highest = std::max(highest, scaled);
    x[i] -= scaled / 2;
  }
  return {-lowest, highest};
}

double nearest_power_of_two(float exponent) {
  const float limited = std::clamp(exponent, -largest_exponent, largest_exponent);
  const auto whole = static_cast<std::int64_t>(std::floor(limited + 0.5F));
  return std::bit_cast<double>((whole + 1023) << 52);
}

/// Returns logarithms that scale each nonzero diagonal entry to 1, and each row without one to a
/// largest entry of 1 in the columns with one.
std::vector<float> scale_of_diagonal(const PatternView& pattern, std::span<const float> logs) {
  std::vector<float> x(static_cast<std::size_t>(pattern.n));
  for (Index j = 0; j < pattern.n; ++j) {
    const float diagonal = logs[pattern.column_begin[j]];
    x[j] = diagonal == no_entry ? no_entry : -diagonal / 2;
  }
  std::vector<float> maximum(x.size());
  find_row_maxima(pattern, logs, x, maximum);
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (x[j] == no_entry) x[j] = maximum[j] == no_entry ? 0 : -maximum[j];
  }
  return x;
}

/// Returns logarithms of scales, found in passes that begin with x.
std::vector<float> equilibrating_logs(const RowsToScale& rows, std::vector<float> x) {
  std::vector<float> maximum(x.size());
  for (int pass = 0; pass < most_passes; ++pass) {
    rows.find_maxima(x, maximum);
    Extremes extremes = scale_rows(maximum, x);
    rows.find_largest_of_all(extremes);
    // The largest entries of all rows differed by a factor of at most 2.
    if (extremes[0] + extremes[1] <= 1) break;
  }
  return x;
}

std::vector<float> equilibrating_logs(const RowsToScale& rows) {
  return equilibrating_logs(rows, std::vector<float>(static_cast<std::size_t>(rows.count)));
}

/// Returns the rows of a matrix, all in this process.
RowsToScale rows_of(const PatternView& pattern, std::span<const float> logs) {
  return {pattern.n,
          [pattern, logs](std::span<const float> x, std::span<float> maximum) {
            find_row_maxima(pattern, logs, x, maximum);
          },
          [](std::span<float>) {}};
}

std::vector<double> powers_of_two(const std::vector<float>& x) {
  std::vector<double> scale(x.size());
  std::transform(x.begin(), x.end(), scale.begin(), nearest_power_of_two);
  return scale;
}

}  // namespace

std::vector<double> equilibration(const SparseMatrixView& a) {
  const std::vector<float> logs = logs_of(a.value);
  return equilibration(rows_of(a.pattern, logs));
}

std::vector<double> equilibration(const RowsToScale& rows) {
  return powers_of_two(equilibrating_logs(rows));
}

std::vector<double> diagonal_equilibration(const SparseMatrixView& a) {
  const std::vector<float> logs = logs_of(a.value);
  const RowsToScale rows = rows_of(a.pattern, logs);
  const std::vector<float> x = equilibrating_logs(rows, scale_of_diagonal(a.pattern, logs));
  const bool in_range =
      std::ranges::all_of(x, [](float log) { return std::abs(log) <= largest_exponent; });
  return in_range ? powers_of_two(x) : equilibration(rows);
}

}  // namespace espalier::internal
