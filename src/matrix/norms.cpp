// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "espalier/error.hpp"

namespace espalier {

namespace {

/// std::max drops a NaN in one of its arguments; this keeps it.
double max_or_nan(double a, double b) { return (a > b || std::isnan(a)) ? a : b; }

void require_length(std::span<const double> vectors, const SparseMatrixView& a, Index count) {
  const Count needed = static_cast<Count>(a.pattern.n) * count;
  if (static_cast<Count>(vectors.size()) != needed) {
    throw UsageError("an array of " + std::to_string(vectors.size()) + " values was given for " +
                     std::to_string(count) + " vectors of a matrix of order " +
                     std::to_string(a.pattern.n) + ", which need " + std::to_string(needed));
  }
}

/// y += scale A x for `width` vectors at once, so that A is read once for them.
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
  for (; c + 4 <= count; c += 4) add_product<4>(a, scale, x + c * n, y + c * n);
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
  double result = 0;
  for (const double value : values) result = max_or_nan(std::fabs(value), result);
  return result;
}

double norm_inf(const SparseMatrixView& a) {
  std::vector<double> row_sum(a.pattern.n, 0.0);
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      const Index i = a.pattern.row[k];
      const double magnitude = std::fabs(a.value[k]);
      row_sum[i] += magnitude;
      if (i != j) row_sum[j] += magnitude;
    }
  }
  return max_abs(row_sum);
}

double backward_error(double norm_a, std::span<const double> x, std::span<const double> b,
                      std::span<const double> r) {
  const double largest_residual = max_abs(r);
  const double scale = norm_a * max_abs(x) + max_abs(b);
  if (std::isnan(scale) || std::isnan(largest_residual)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (std::isinf(scale)) return std::numeric_limits<double>::infinity();
  return largest_residual == 0 ? 0 : largest_residual / scale;
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

}  // namespace espalier
