// SPDX-License-Identifier: BSD-3-Clause
#include "solver/matrix_checks.hpp"

#include <string>

#include "solver/data.hpp"

namespace espalier {

void expect_same_pattern(const LowerPattern& known, const LowerPattern& pattern) {
  const bool same = &known == &pattern || (known.n == pattern.n && known.row == pattern.row &&
                                           known.column_begin == pattern.column_begin);
  if (!same) {
    throw UsageError(
        "the matrix has another pattern than the one that was analyzed; analyze it anew");
  }
}

void expect_analyzed(const LowerPattern& known, const Matrix& given) {
  expect_same_pattern(known, *given.data().pattern);
  if (given.values().size() != static_cast<std::size_t>(given.entries())) {
    throw UsageError(
        "the matrix has a pattern but no values; load it with its values to factor it");
  }
}

void expect_vectors(Index n, Index count, std::size_t b, std::size_t x) {
  const auto needed = static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  if (count >= 1 && b == needed && x == needed) return;
  throw UsageError("right-hand sides and solutions need " + std::to_string(n) + " times " +
                   std::to_string(count) + " entries, but have " + std::to_string(b) + " and " +
                   std::to_string(x));
}

Index first_bad_diagonal(const LowerPattern& pattern, std::span<const double> value) {
  Index j = 0;
  while (j < pattern.n && value[pattern.column_begin[j]] > 0) ++j;
  return j;
}

}  // namespace espalier
