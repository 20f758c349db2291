// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/weighted_matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scaling/bipartite_matching.hpp"
#include "scaling/cycle_pairs.hpp"
#include "scaling/equilibration.hpp"

namespace espalier::internal {

namespace {

/// Largest range of a scaling, as a base-2 logarithm: 1 / eps of a double.
constexpr double largest_range = 52;

/// Smallest scaled diagonal entry of a 1 x 1 pivot; the largest possible entry is 1.
constexpr double large_diagonal = 0.01;

/// Logarithms of scales, base 2. The scales themselves might overflow.
using Logs = std::vector<double>;

Logs logs_of(const std::vector<double>& scale) {
  Logs logs(scale.size());
  std::transform(scale.begin(), scale.end(), logs.begin(), [](double s) { return std::log2(s); });
  return logs;
}

std::vector<char> matched_rows(const BipartiteMatching& matching) {
  std::vector<char> matched(matching.row_of.size(), 0);
  for (const Index row : matching.row_of) {
    if (row >= 0) matched[row] = 1;
  }
  return matched;
}

/// Multiplies the scale of each row and column by the square roots of the matching's scales.
void scale_matched(const BipartiteMatching& matching, const std::vector<char>& matched,
                   Logs& log_scale) {
  for (std::size_t i = 0; i < log_scale.size(); ++i) {
    if (matched[i]) log_scale[i] += (matching.row_log[i] + matching.column_log[i]) / 2;
  }
}

/// Scales rows without a matched entry to a largest entry of 1 in the columns of matched entries. A
/// row without such entries keeps its scale.
void scale_unmatched(const SparseMatrixView& a, const std::vector<char>& matched, Logs& log_scale) {
  constexpr double no_entry_yet = std::numeric_limits<double>::lowest();
  std::vector<double> largest(log_scale.size(), no_entry_yet);
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      const Index i = a.pattern.row[k];
      if (a.value[k] == 0 || matched[i] == matched[j]) continue;
      const auto [row, column] = matched[i] ? std::pair(j, i) : std::pair(i, j);
      largest[row] = std::max(largest[row], std::log2(std::abs(a.value[k])) + log_scale[column]);
    }
  }
  for (std::size_t i = 0; i < log_scale.size(); ++i) {
    if (largest[i] != no_entry_yet) log_scale[i] = -largest[i];
  }
}

bool is_usable(const Logs& before, const Logs& after) {
  double lowest = 0, highest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    lowest = std::min(lowest, after[i] - before[i]);
    highest = std::max(highest, after[i] - before[i]);
  }
  return highest - lowest <= largest_range;
}

std::vector<double> scaled_diagonal(const SparseMatrixView& a, const Logs& log_scale) {
  std::vector<double> diagonal(log_scale.size());
  for (std::size_t j = 0; j < diagonal.size(); ++j) {
    const double value = a.value[a.pattern.column_begin[j]];
    const double scaled = std::exp2(std::log2(std::abs(value)) + 2 * log_scale[j]);
    diagonal[j] = std::copysign(scaled, value);
  }
  return diagonal;
}

/// Replaces pairs with a large diagonal entry by single columns. A column with a small diagonal
/// entry then follows its former partner.
MatchedColumns with_needed_pairs(std::vector<Index> partner, const std::vector<double>& diagonal) {
  std::vector<Index> predecessor(partner.size(), -1);
  const auto is_large = [&](Index j) { return std::abs(diagonal[j]) >= large_diagonal; };
  for (std::size_t k = 0; k < partner.size(); ++k) {
    const auto j = static_cast<Index>(k);
    const Index i = partner[j];
    if (i <= j || (!is_large(i) && !is_large(j))) continue;
    if (!is_large(i)) predecessor[i] = j;
    if (!is_large(j)) predecessor[j] = i;
    partner[i] = i;
    partner[j] = j;
  }
  return {std::move(partner), std::move(predecessor)};
}

}  // namespace

Index MatchedColumns::pairs() const {
  Index columns = 0;
  for (std::size_t j = 0; j < partner.size(); ++j) {
    columns += partner[j] != static_cast<Index>(j) ? 1 : 0;
  }
  return columns / 2;
}

WeightedMatching weighted_matching(const SparseMatrixView& a) {
  const Logs equilibrated = logs_of(equilibration(a));
  BipartiteMatching matching = bipartite_matching(a, equilibrated);
  const std::vector<char> matched = matched_rows(matching);
  WeightedMatching result;
  result.unmatched = a.pattern.n - matching.matched;
  // The rows of a largest matching and the columns of the same numbers have a perfect matching.
  if (result.unmatched > 0) matching = bipartite_matching(a, equilibrated, matched);
  Logs log_scale = equilibrated;
  scale_matched(matching, matched, log_scale);
  scale_unmatched(a, matched, log_scale);
  const std::vector<double> diagonal = scaled_diagonal(a, log_scale);
  result.columns = with_needed_pairs(cycle_pairs(matching.row_of, diagonal), diagonal);
  if (!is_usable(equilibrated, log_scale)) return result;
  for (const double exponent : log_scale) result.scale.push_back(std::exp2(exponent));
  return result;
}

}  // namespace espalier::internal
