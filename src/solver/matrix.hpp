// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "espalier/espalier.hpp"
#include "matrix/shared_pattern.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Throws UsageError unless the matrix has the pattern that was analyzed, and values.
void expect_analyzed(const SharedPattern& known, const Matrix& given);

/// Knows a pattern again without keeping it in memory: by its hash where it is another object.
class PatternMark {
 public:
  explicit PatternMark(const std::shared_ptr<const SharedPattern>& pattern);

  /// Throws UsageError unless it is that pattern.
  void expect(const SharedPattern& given) const;
  /// Throws UsageError unless the matrix has that pattern, and values.
  void expect_analyzed(const Matrix& given) const;

 private:
  std::weak_ptr<const SharedPattern> pattern_;
  Index n_;
  std::size_t hash_;
};

/// Throws UsageError unless both have n times count entries, and one at least.
void expect_vectors(Index n, Index count, std::size_t b, std::size_t x);

/// Returns the first column whose diagonal entry is not positive, or n: where there is one, A
/// cannot be positive definite, and this column does not depend on the ordering.
Index first_bad_diagonal(const PatternView& pattern, std::span<const double> value);

}  // namespace espalier::internal
