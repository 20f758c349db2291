// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iterator>
#include <memory>
#include <vector>

#include "bindings/common/finite_values.hpp"
#include "bindings/pardiso/arguments.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {

/// The pattern of a matrix whose upper triangle a caller passes by compressed rows. These arrays
/// are also the lower triangle by compressed columns. The pattern is copied, because callers may
/// pass other arrays with the same content in each call. Missing diagonal entries are added, with
/// value 0.
class UpperTriangle {
 public:
  /// Copies the pattern. Throws UsageError if an array is null, and InputError if the arrays are
  /// not an upper triangle. Cost O(n + entries).
  explicit UpperTriangle(const Call& call);

  /// Returns the number that the caller gives to the first row: 0 or 1.
  Index base() const { return base_; }
  /// Returns how the caller names the entries, for messages.
  EntryNames names() const { return {.base = base_, .upper = true}; }
  /// Returns the number of entries, the added ones included.
  Count entries() const { return begin_.back(); }
  /// Returns the number of added entries.
  Count missing_diagonal() const { return std::ssize(added_); }
  Index size() const { return pattern_->size(); }
  /// Returns whether the arrays of a call have the same pattern. Cost O(n + entries).
  bool same_as(const Call& call) const;
  /// Returns the pattern without values.
  const Matrix& pattern() const { return *pattern_; }
  /// Returns the matrix with a copy of values in the order of the caller's arrays. Cost O(entries).
  Matrix with_values(const double* value) const;

 private:
  void append_row(const Call& call, Index i);
  /// Throws InputError for the first entry that is given twice. Cost O(entries log entries).
  void expect_each_once() const;
  /// Returns the next added diagonal entry, or the number of rows.
  Index added(std::size_t k) const;

  Index base_;
  std::vector<Count> begin_{0};
  std::vector<Index> row_;
  std::vector<Index> added_;               ///< rows whose diagonal entry is missing, ascending
  std::unique_ptr<const Matrix> pattern_;  ///< uses the arrays above
};

}  // namespace espalier::internal
