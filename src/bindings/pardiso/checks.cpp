// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/pardiso/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "bindings/common/finite_values.hpp"
#include "bindings/pardiso/run.hpp"
#include "bindings/pardiso/upper_triangle.hpp"
#include "espalier/bindings.hpp"

namespace espalier::internal {

namespace {

/// Smallest and largest magnitude of some numbers.
struct Range {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;

  void add(double number) {
    smallest = std::min(smallest, std::abs(number));
    largest = std::max(largest, std::abs(number));
  }
};

MatrixFacts facts_of(const Matrix& matrix, const UpperTriangle& triangle) {
  Range all;
  Range diagonal;
  for (const double value : matrix.values()) all.add(value);
  for (Index j = 0; j < matrix.size(); ++j) diagonal.add(matrix.values()[matrix.column_begin()[j]]);
  return {.n = matrix.size(),
          .entries = matrix.entries() - triangle.missing_diagonal(),
          .missing_diagonal = triangle.missing_diagonal(),
          .smallest = all.smallest,
          .largest = all.largest,
          .smallest_diagonal = diagonal.smallest,
          .largest_diagonal = diagonal.largest};
}

}  // namespace

MatrixFacts checked_matrix(const CallerSystem& system) {
  Parameters parameters;
  const Call call{.dialect = Dialect::panua,
                  .mtype = expect_given(system.mtype, "mtype"),
                  .n = expect_given(system.n, "n"),
                  .a = system.a,
                  .ia = ConstantIntegers(system.ia),
                  .ja = ConstantIntegers(system.ja),
                  .iparm = parameters};
  expect_matrix(call);
  const UpperTriangle triangle(call);
  const Matrix matrix = triangle.with_values(call.a);
  expect_finite_values(matrix, triangle.names());
  return facts_of(matrix, triangle);
}

void check_vectors(const CallerSystem& system, MatrixFacts& facts) {
  const Index n = expect_given(system.n, "n");
  facts.nrhs = expect_given(system.nrhs, "nrhs");
  if (n > 0 && facts.nrhs > 0) expect_given(system.b, "b");
  expect_finite({.n = n, .count = static_cast<Index>(facts.nrhs), .b = system.b, .ldb = n}, 1);
  Range range;
  for (const double value : std::span(system.b, static_cast<std::size_t>(n * facts.nrhs))) {
    range.add(value);
  }
  facts.largest_rhs = range.largest;
}

}  // namespace espalier::internal
