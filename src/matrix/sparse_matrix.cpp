// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/sparse_matrix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "espalier/error.hpp"

namespace espalier::internal {

Permutation Permutation::identity(Index n) {
  Permutation result;
  result.old_of.resize(n);
  std::iota(result.old_of.begin(), result.old_of.end(), 0);
  result.new_of = result.old_of;
  return result;
}

Permutation Permutation::from_old_of(std::vector<Index> old_of) {
  Permutation result;
  result.old_of = std::move(old_of);
  const Index n = result.size();
  result.new_of.assign(n, -1);
  for (Index i = 0; i < n; ++i) {
    const Index old = result.old_of[i];
    if (old < 0 || old >= n) {
      throw InputError("the permutation of " + std::to_string(n) + " numbers holds " +
                       std::to_string(old) + " at position " + std::to_string(i) +
                       ", which is outside 0.." + std::to_string(n - 1));
    }
    if (result.new_of[old] >= 0) {
      throw InputError("the permutation of " + std::to_string(n) + " numbers holds " +
                       std::to_string(old) + " twice, at positions " +
                       std::to_string(result.new_of[old]) + " and " + std::to_string(i));
    }
    result.new_of[old] = i;
  }
  return result;
}

Permutation compose(const Permutation& first, const Permutation& second) {
  if (first.size() != second.size()) {
    throw UsageError("a permutation of " + std::to_string(first.size()) +
                     " numbers cannot be followed by one of " + std::to_string(second.size()));
  }
  Permutation result;
  const Index n = first.size();
  result.new_of.resize(n);
  result.old_of.resize(n);
  for (Index i = 0; i < n; ++i) {
    result.new_of[i] = second.new_of[first.new_of[i]];
    result.old_of[i] = first.old_of[second.old_of[i]];
  }
  return result;
}

void check(const Permutation& permutation) {
  const Index n = permutation.size();
  if (permutation.new_of.size() != permutation.old_of.size()) {
    throw InputError("the permutation has " + std::to_string(permutation.new_of.size()) +
                     " new numbers for " + std::to_string(n) + " old ones");
  }
  for (Index i = 0; i < n; ++i) {
    const Index moved = permutation.new_of[i];
    if (moved < 0 || moved >= n || permutation.old_of[moved] != i) {
      throw InputError("the permutation moves " + std::to_string(i) + " to " +
                       std::to_string(moved) + ", but its inverse does not move that number back");
    }
  }
}

void check_offsets(const PatternView& pattern) {
  if (pattern.n < 0 || pattern.column_begin.size() != static_cast<std::size_t>(pattern.n) + 1) {
    throw InputError("the matrix of order " + std::to_string(pattern.n) + " has " +
                     std::to_string(pattern.column_begin.size()) +
                     " column offsets; expected one more than its order");
  }
  if (pattern.column_begin.front() != 0) {
    throw InputError("the column offsets begin with " +
                     std::to_string(pattern.column_begin.front()) + "; expected 0");
  }
  for (Index j = 0; j < pattern.n; ++j) {
    if (pattern.column_begin[j + 1] < pattern.column_begin[j]) {
      throw InputError("the column offsets descend after column " + std::to_string(j));
    }
  }
  if (pattern.entries() != static_cast<Count>(pattern.row.size())) {
    throw InputError("the column offsets end with " + std::to_string(pattern.entries()) +
                     ", but there are " + std::to_string(pattern.row.size()) + " row indices");
  }
}

namespace {

void check_column(const PatternView& pattern, Index j) {
  const auto rows = pattern.column(j);
  if (rows.empty() || rows.front() != j) {
    const bool above = !rows.empty() && rows.front() < j;
    throw InputError(
        "column " + std::to_string(j) +
        (above ? " has an entry above the diagonal in row " + std::to_string(rows.front())
               : " does not begin with its diagonal entry"));
  }
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (rows[k] <= rows[k - 1]) {
      throw InputError("the rows of column " + std::to_string(j) + " do not ascend at row " +
                       std::to_string(rows[k]));
    }
  }
  if (rows.back() >= pattern.n) {
    throw InputError("column " + std::to_string(j) + " has an entry in row " +
                     std::to_string(rows.back()) + " of a matrix of order " +
                     std::to_string(pattern.n));
  }
}

/// Returns whether all numbers are finite, without searching for one that is not.
bool all_finite(std::span<const double> numbers) {
  // Zero times a number is zero or, if the number is not finite, NaN. The sums need no branch per
  // number.
  std::array<double, 8> sums{};
  std::size_t k = 0;
  for (; k + sums.size() <= numbers.size(); k += sums.size()) {
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += 0 * numbers[k + s];
  }
  for (; k < numbers.size(); ++k) sums[0] += 0 * numbers[k];
  return std::ranges::all_of(sums, [](double sum) { return sum == 0; });
}

}  // namespace

void check(const PatternView& pattern) {
  check_offsets(pattern);
  for (Index j = 0; j < pattern.n; ++j) check_column(pattern, j);
}

void check(const SparseMatrixView& matrix) {
  check(matrix.pattern);
  check_values(matrix);
}

void expect_a_value_an_entry(const SparseMatrixView& matrix) {
  if (matrix.value.size() == matrix.pattern.row.size()) return;
  throw InputError("the matrix has " + std::to_string(matrix.value.size()) + " values for " +
                   std::to_string(matrix.pattern.row.size()) + " entries");
}

void refuse_value(Index row, Index column, Index base) {
  throw InputError("the value in row " + std::to_string(Count{row} + base) + ", column " +
                   std::to_string(Count{column} + base) + " is not finite");
}

void check_values(const SparseMatrixView& matrix) {
  expect_a_value_an_entry(matrix);
  if (all_finite(matrix.value)) return;
  for (Index j = 0; j < matrix.pattern.n; ++j) {
    for (Count k = matrix.pattern.column_begin[j]; k < matrix.pattern.column_begin[j + 1]; ++k) {
      if (!std::isfinite(matrix.value[k])) {
        refuse_value(matrix.pattern.row[k], j, 0);
      }
    }
  }
}

Count bytes_of_matrix(Index n, Count entries) {
  constexpr Count an_entry = sizeof(Index) + sizeof(double);
  constexpr Count program = Count{12} << 20;  // for StarPU, which starts meanwhile
  return program + (Count{n} + 1) * static_cast<Count>(sizeof(Count)) + entries * an_entry;
}

double max_or_nan(double a, double b) { return (a > b || std::isnan(a)) ? a : b; }

namespace {

void require_length(std::span<const double> vectors, const SparseMatrixView& a, Index count) {
  const Count needed = static_cast<Count>(a.pattern.n) * count;
  if (static_cast<Count>(vectors.size()) != needed) {
    throw UsageError("an array of " + std::to_string(vectors.size()) + " values was given for " +
                     std::to_string(count) + " vectors of a matrix of order " +
                     std::to_string(a.pattern.n) + ", which need " + std::to_string(needed));
  }
}

/// Number of vectors that are multiplied at once.
constexpr int at_once = 4;

/// Adds scale A x to y for `width` vectors at once, so that A is read only once for them.
template <int width>
void add_product(const SparseMatrixView& a, double scale, const double* x, double* y) {
  const Count n = a.pattern.n;
  for (Index j = 0; j < n; ++j) {
    double xj[width];
    double sum[width] = {};
    for (int c = 0; c < width; ++c) xj[c] = scale * x[c * n + j];
    const Count diagonal = a.pattern.column_begin[j];
    for (Count k = diagonal + 1; k < a.pattern.column_begin[j + 1]; ++k) {
      const Index i = a.pattern.row[k];
      const double value = a.value[k];
      for (int c = 0; c < width; ++c) {
        y[c * n + i] += value * xj[c];
        sum[c] += value * x[c * n + i];
      }
    }
    for (int c = 0; c < width; ++c) y[c * n + j] += a.value[diagonal] * xj[c] + scale * sum[c];
  }
}

void add_product(const SparseMatrixView& a, double scale, const double* x, double* y, Index count) {
  const Count n = a.pattern.n;
  Index c = 0;
  for (; c + at_once <= count; c += at_once) add_product<at_once>(a, scale, x + c * n, y + c * n);
  for (; c < count; ++c) add_product<1>(a, scale, x + c * n, y + c * n);
}

}  // namespace

void multiply(const SparseMatrixView& a, std::span<const double> x, std::span<double> y,
              Index count) {
  require_length(x, a, count);
  require_length(y, a, count);
  std::fill(y.begin(), y.end(), 0.0);
  add_product(a, 1.0, x.data(), y.data(), count);
}

void residual(const SparseMatrixView& a, std::span<const double> x, std::span<const double> b,
              std::span<double> r, Index count) {
  require_length(x, a, count);
  require_length(b, a, count);
  require_length(r, a, count);
  if (r.data() != b.data()) std::copy(b.begin(), b.end(), r.begin());
  add_product(a, -1.0, x.data(), r.data(), count);
}

double max_abs(std::span<const double> values) {
  // The comparisons of the maxima drop NaN; the sums detect it (see all_finite()).
  std::array<double, 8> largest{};
  std::array<double, 8> sums{};
  std::size_t k = 0;
  for (; k + largest.size() <= values.size(); k += largest.size()) {
    for (std::size_t s = 0; s < largest.size(); ++s) {
      const double magnitude = std::fabs(values[k + s]);
      largest[s] = magnitude > largest[s] ? magnitude : largest[s];
      sums[s] += 0 * magnitude;
    }
  }
  double result = std::ranges::max(largest);
  for (const double sum : sums) {
    if (sum != 0) k = 0;  // a number is not finite
  }
  for (; k < values.size(); ++k) result = max_or_nan(std::fabs(values[k]), result);
  return result;
}

double norm_inf(const SparseMatrixView& a) {
  std::vector<double> row_sum(a.pattern.n, 0.0);
  for (Index j = 0; j < a.pattern.n; ++j) {
    const Count diagonal = a.pattern.column_begin[j];
    double sum = std::fabs(a.value[diagonal]);
    for (Count k = diagonal + 1; k < a.pattern.column_begin[j + 1]; ++k) {
      const double magnitude = std::fabs(a.value[k]);
      row_sum[a.pattern.row[k]] += magnitude;
      sum += magnitude;
    }
    row_sum[j] += sum;
  }
  return max_abs(row_sum);
}

double backward_error(double norm_a, std::span<const double> x, std::span<const double> b,
                      std::span<const double> r) {
  const double largest_x = max_abs(x);
  const double largest_b = max_abs(b);
  const double largest_residual = max_abs(r);
  // A sum of finite entries may overflow. The residual shows if an entry is infinite.
  norm_a = std::min(norm_a, std::numeric_limits<double>::max());
  const double not_finite = norm_a + largest_x + largest_b + largest_residual;
  if (std::isnan(not_finite)) return not_finite;
  for (const double value : {largest_x, largest_b, largest_residual}) {
    if (std::isinf(value)) return value;
  }
  if (largest_residual == 0) return 0;
  const double scale = norm_a * largest_x + largest_b;
  if (std::isfinite(scale)) return largest_residual / scale;
  constexpr int half = -520;  // exponent; scaling by it twice avoids overflow
  return std::ldexp(largest_residual, 2 * half) /
         (std::ldexp(norm_a, half) * std::ldexp(largest_x, half) + std::ldexp(largest_b, 2 * half));
}

double residual_error(const SparseMatrixView& a, double norm_a, std::span<const double> x,
                      std::span<const double> b, std::span<double> r, Index count) {
  residual(a, x, b, r, count);
  const std::size_t n = a.pattern.n;
  double worst = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c) {
    worst = max_or_nan(backward_error(norm_a, x.subspan(c * n, n), b.subspan(c * n, n),
                                      std::span<const double>(r).subspan(c * n, n)),
                       worst);
  }
  return worst;
}

double residual_error(const SparseMatrixView& a, double norm_a, std::span<const double> x,
                      std::span<const double> b, Index count) {
  const std::size_t n = a.pattern.n;
  std::vector<double> r;
  double worst = 0;
  for (Index first = 0; first < count; first += at_once) {
    const Index columns = std::min<Index>(at_once, count - first);
    r.resize(n * columns);
    const auto part = [&](std::span<const double> all) {
      return all.subspan(n * static_cast<std::size_t>(first), r.size());
    };
    worst = max_or_nan(residual_error(a, norm_a, part(x), part(b), r, columns), worst);
  }
  return worst;
}

}  // namespace espalier::internal
