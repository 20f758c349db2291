// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/equilibration.hpp"

#include <algorithm>
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

/// Sets maximum[i] to the largest log2|a_ij| + x[j] of row i, no_entry for a row of zeros.
void find_row_maxima(const SparseMatrixView& a, const std::vector<float>& x,
                     std::vector<float>& maximum) {
  std::fill(maximum.begin(), maximum.end(), no_entry);
  const auto& pattern = a.pattern;
  for (Index j = 0; j < pattern.n; ++j) {
    float of_column = no_entry;
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const Index i = pattern.row[k];
      const float entry = coarse_log2(a.value[k]);
      of_column = std::max(of_column, entry + x[i]);
      maximum[i] = std::max(maximum[i], entry + x[j]);
    }
    maximum[j] = std::max(maximum[j], of_column);
  }
}

/// Scales each row and its column by the square root of the row's largest scaled entry. Returns
/// whether the largest entries of all rows differed by a factor of at most 2 before.
bool scale_rows(const std::vector<float>& maximum, std::vector<float>& x) {
  float lowest = std::numeric_limits<float>::max(), highest = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (maximum[i] == no_entry) continue;
    const float scaled = maximum[i] + x[i];
    lowest = std::min(lowest, scaled);
    highest = std::max(highest, scaled);
    x[i] -= scaled / 2;
  }
  return highest - lowest <= 1;
}

double nearest_power_of_two(float exponent) {
  const float limited = std::clamp(exponent, -largest_exponent, largest_exponent);
  const auto whole = static_cast<std::int64_t>(std::floor(limited + 0.5F));
  return std::bit_cast<double>((whole + 1023) << 52);
}

/// Returns logarithms that scale each nonzero diagonal entry to 1, and each row without one to a
/// largest entry of 1 in the columns with one.
std::vector<float> scale_of_diagonal(const SparseMatrixView& a) {
  std::vector<float> x(static_cast<std::size_t>(a.pattern.n));
  for (Index j = 0; j < a.pattern.n; ++j) {
    const float diagonal = coarse_log2(a.value[a.pattern.column_begin[j]]);
    x[j] = diagonal == no_entry ? no_entry : -diagonal / 2;
  }
  std::vector<float> maximum(x.size());
  find_row_maxima(a, x, maximum);
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (x[j] == no_entry) x[j] = maximum[j] == no_entry ? 0 : -maximum[j];
  }
  return x;
}

/// Returns logarithms of scales, found in passes that begin with x.
std::vector<float> equilibrating_logs(const SparseMatrixView& a, std::vector<float> x) {
  std::vector<float> maximum(x.size());
  for (int pass = 0; pass < most_passes; ++pass) {
    find_row_maxima(a, x, maximum);
    if (scale_rows(maximum, x)) break;
  }
  return x;
}

std::vector<float> equilibrating_logs(const SparseMatrixView& a) {
  return equilibrating_logs(a, std::vector<float>(static_cast<std::size_t>(a.pattern.n)));
}

std::vector<double> powers_of_two(const std::vector<float>& x) {
  std::vector<double> scale(x.size());
  std::transform(x.begin(), x.end(), scale.begin(), nearest_power_of_two);
  return scale;
}

}  // namespace

std::vector<double> equilibration(const SparseMatrixView& a) {
  return powers_of_two(equilibrating_logs(a));
}

std::vector<double> diagonal_equilibration(const SparseMatrixView& a) {
  const std::vector<float> x = equilibrating_logs(a, scale_of_diagonal(a));
  const bool in_range =
      std::ranges::all_of(x, [](float log) { return std::abs(log) <= largest_exponent; });
  return in_range ? powers_of_two(x) : equilibration(a);
}

}  // namespace espalier::internal
