// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/cycle_pairs.hpp"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace espalier::internal {

namespace {

/// Returns the logarithm of a pivot. Zero has the logarithm of a tiny number, so that sums stay
/// finite.
double log_of_pivot(double value) { return std::log(std::abs(value) + 1e-300); }

/// Cycle c_0, c_1, ... of columns. Positions count around the cycle.
class Cycle {
 public:
  Cycle(std::vector<Index>& columns, std::span<const double> diagonal)
      : columns_(columns), diagonal_(diagonal) {}

  /// Divides the cycle in the best way.
  void divide(std::vector<Index>& partner) const {
    const std::size_t first = columns_.size() % 2 == 0 ? best_start() : best_single() + 1;
    for (std::size_t k = first; k + 1 < first + columns_.size(); k += 2) {
      partner[column(k)] = column(k + 1);
      partner[column(k + 1)] = column(k);
    }
  }

 private:
  Index column(std::size_t k) const { return columns_[k % columns_.size()]; }
  double single(std::size_t k) const { return log_of_pivot(diagonal_[column(k)]); }
  /// Returns the logarithm of the determinant of positions k and k + 1.
  double pair(std::size_t k) const {
    return log_of_pivot(diagonal_[column(k)] * diagonal_[column(k + 1)] - 1);
  }

  /// Returns the start of the first pair in a cycle of even length: 0 or 1.
  std::size_t best_start() const {
    double difference = 0;
    for (std::size_t k = 0; k < columns_.size(); k += 2) difference += pair(k + 1) - pair(k);
    return difference > 0 ? 1 : 0;
  }

  /// Returns the single position of a cycle of odd length. Moving it by two positions exchanges one
  /// pair, and these moves reach every position.
  std::size_t best_single() const {
    const std::size_t length = columns_.size();
    double pairs = 0;  // relative to position 0 as the single one
    double best = single(0);
    std::size_t best_position = 0, position = 0;
    for (std::size_t move = 1; move < length; ++move) {
      pairs += pair(position) - pair(position + 1);
      position = (position + 2) % length;
      if (pairs + single(position) > best) {
        best = pairs + single(position);
        best_position = position;
      }
    }
    return best_position;
  }

  std::vector<Index>& columns_;
  std::span<const double> diagonal_;
};

}  // namespace

std::vector<Index> cycle_pairs(std::span<const Index> row_of, std::span<const double> diagonal) {
  std::vector<Index> partner(row_of.size());
  std::iota(partner.begin(), partner.end(), 0);
  std::vector<char> seen(row_of.size(), 0);
  std::vector<Index> columns;
  for (std::size_t start = 0; start < row_of.size(); ++start) {
    if (row_of[start] < 0) continue;
    columns.clear();
    for (auto j = static_cast<Index>(start); !seen[j]; j = row_of[j]) {
      seen[j] = 1;
      columns.push_back(j);
    }
    if (columns.size() > 1) Cycle(columns, diagonal).divide(partner);
  }
  return partner;
}

}  // namespace espalier::internal
