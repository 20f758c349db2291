// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/shifted_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "espalier/error.hpp"

namespace espalier::internal {

bool contains(const PatternView& pattern, const PatternView& other) {
  for (Index j = 0; j < pattern.n; ++j) {
    if (!std::ranges::includes(pattern.column(j), other.column(j))) return false;
  }
  return true;
}

LowerPattern union_of(const PatternView& a, const PatternView& b) {
  LowerPattern both;
  both.n = a.n;
  both.column_begin.reserve(static_cast<std::size_t>(a.n) + 1);
  both.row.reserve(static_cast<std::size_t>(a.entries()));
  for (Index j = 0; j < a.n; ++j) {
    std::ranges::set_union(a.column(j), b.column(j), std::back_inserter(both.row));
    both.column_begin.push_back(std::ssize(both.row));
  }
  return both;
}

namespace {

/// Calls f(position in `pattern`, row, column, value) for each entry of a matrix. The pattern has
/// all these entries.
template <class F>
void for_each_entry(const SparseMatrixView& matrix, const PatternView& pattern, F f) {
  for (Index j = 0; j < pattern.n; ++j) {
    Count at = pattern.column_begin[j];
    for (Count k = matrix.pattern.column_begin[j]; k < matrix.pattern.column_begin[j + 1]; ++k) {
      const Index i = matrix.pattern.row[k];
      while (pattern.row[at] < i) ++at;
      f(at, i, j, matrix.value[k]);
    }
  }
}

/// Returns a - sigma b, an entry of a shifted matrix.
double difference(double a, double sigma, double b, Index row, Index column) {
  const double result = a - sigma * b;
  if (std::isfinite(result)) return result;
  throw InputError(
      fmt::format("the entry in row {}, column {} (counted from 1) of the shifted matrix is not "
                  "finite: {} - {} * {}; choose a smaller shift, or scale the matrix",
                  Count{row} + 1, Count{column} + 1, a, sigma, b));
}

}  // namespace

void copy_values(const SparseMatrixView& from, const PatternView& pattern,
                 std::span<double> value) {
  std::ranges::fill(value, 0.0);
  for_each_entry(from, pattern, [&](Count at, Index, Index, double a) { value[at] = a; });
}

void subtract_identity(double sigma, const PatternView& pattern, std::span<double> value) {
  for (Index j = 0; j < pattern.n; ++j) {
    double& entry = value[pattern.column_begin[j]];
    entry = difference(entry, sigma, 1, j, j);
  }
}

void subtract(double sigma, const SparseMatrixView& b, const PatternView& pattern,
              std::span<double> value) {
  for_each_entry(b, pattern, [&](Count at, Index i, Index j, double of_b) {
    value[at] = difference(value[at], sigma, of_b, i, j);
  });
}

}  // namespace espalier::internal
