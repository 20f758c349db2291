// SPDX-License-Identifier: BSD-3-Clause
#include "solver/matrix_checks.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/data.hpp"

namespace espalier {

namespace {

void expect_same(bool same) {
  if (same) return;
  throw UsageError(
      "the matrix has another pattern than the one that was analyzed; analyze it anew");
}

void expect_with_values(const Matrix& given) {
  if (given.values().size() != static_cast<std::size_t>(given.entries())) {
    throw UsageError(
        "the matrix has a pattern but no values; load it with its values to factor it");
  }
}

template <typename T>
std::size_t hash_of(const std::vector<T>& numbers) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)});
}

std::size_t hash_of(const LowerPattern& pattern) {
  constexpr std::size_t odd = 0x9e3779b97f4a7c15;
  return odd * hash_of(pattern.column_begin) + hash_of(pattern.row);
}

}  // namespace

void expect_analyzed(const LowerPattern& known, const Matrix& given) {
  const LowerPattern& pattern = *given.data().pattern;
  expect_same(&known == &pattern || (known.n == pattern.n && known.row == pattern.row &&
                                     known.column_begin == pattern.column_begin));
  expect_with_values(given);
}

PatternMark::PatternMark(const std::shared_ptr<const LowerPattern>& pattern)
    : pattern_(pattern), n_(pattern->n), hash_(hash_of(*pattern)) {}

void PatternMark::expect(const LowerPattern& given) const {
  expect_same(pattern_.lock().get() == &given || (n_ == given.n && hash_ == hash_of(given)));
}

void PatternMark::expect_analyzed(const Matrix& given) const {
  expect(*given.data().pattern);
  expect_with_values(given);
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
