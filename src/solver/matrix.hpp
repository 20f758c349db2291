// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "espalier/espalier.hpp"
#include "matrix/shared_pattern.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Throws UsageError unless the matrix has values and the pattern `known`.
void expect_analyzed(const SharedPattern& known, const Matrix& given);

/// Recognizes a pattern without keeping it in memory: it compares hashes if the pattern is another
/// object.
class PatternMark {
 public:
  explicit PatternMark(const std::shared_ptr<const SharedPattern>& pattern);

  /// Throws UsageError if `given` is another pattern.
  void expect(const SharedPattern& given) const;
  /// Throws UsageError unless the matrix has values and this pattern.
  void expect_analyzed(const Matrix& given) const;

 private:
  std::weak_ptr<const SharedPattern> pattern_;
  Index n_;
  std::size_t hash_;
};

/// Throws UsageError unless both arrays have n times count entries and count is at least 1.
void expect_vectors(Index n, Index count, std::size_t b, std::size_t x);

/// Returns the first column whose diagonal entry is not positive, or n if there is none. If there
/// is one, A cannot be positive definite. This column does not depend on the ordering.
Index first_bad_diagonal(const PatternView& pattern, std::span<const double> value);

}  // namespace espalier::internal
