// SPDX-License-Identifier: BSD-3-Clause
#include "support/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::internal::support {

double tolerance(Count n) {
  return 8 * static_cast<double>(n + 1) * std::numeric_limits<double>::epsilon();
}

testing::AssertionResult close(double actual, double expected, double scale, Count n) {
  const double bound = tolerance(n) * scale;
  if (std::fabs(actual - expected) <= bound && std::isfinite(bound)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "got " << actual << " instead of " << expected
                                     << ", off by " << actual - expected << ", allowed " << bound;
}

namespace {

/// Compares entries [first(j), rows) of every column.
template <class First>
testing::AssertionResult close_from(First first, ConstMatrixView actual, ConstMatrixView expected,
                                    Count n, double growth) {
  if (actual.rows != expected.rows || actual.columns != expected.columns) {
    return testing::AssertionFailure() << actual.rows << " x " << actual.columns << " instead of "
                                       << expected.rows << " x " << expected.columns;
  }
  double scale = 0;
  for (Index j = 0; j < expected.columns; ++j) {
    for (Index i = first(j); i < expected.rows; ++i) {
      scale = std::max(scale, std::fabs(expected(i, j)));
    }
  }
  for (Index j = 0; j < expected.columns; ++j) {
    for (Index i = first(j); i < expected.rows; ++i) {
      auto result = close(actual(i, j), expected(i, j), scale * growth, n);
      if (!result) return result << " at (" << i << ", " << j << ")";
    }
  }
  return testing::AssertionSuccess();
}

ConstMatrixView as_column(std::span<const double> vector) {
  const auto rows = static_cast<Index>(vector.size());
  return {vector.data(), rows, 1, rows};
}

}  // namespace

testing::AssertionResult close(std::span<const double> actual, std::span<const double> expected,
                               Count n, double growth) {
  return close(as_column(actual), as_column(expected), n, growth);
}

testing::AssertionResult close(ConstMatrixView actual, ConstMatrixView expected, Count n,
                               double growth) {
  return close_from([](Index) { return 0; }, actual, expected, n, growth);
}

testing::AssertionResult close_lower(ConstMatrixView actual, ConstMatrixView expected, Count n,
                                     double growth) {
  return close_from([](Index j) { return j; }, actual, expected, n, growth);
}

}  // namespace espalier::internal::support
