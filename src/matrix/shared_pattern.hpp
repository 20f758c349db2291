// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "espalier/compressed_columns.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Whether the arrays of an application are used as they are, where that can be.
enum class Arrays { borrowed, copied };

/// A pattern that matrices, analyses and factors share, in arrays of its own or in those of an
/// application, and the order in which the application gives the values.
class SharedPattern : public PatternView {
 public:
  explicit SharedPattern(LowerPattern own);
  /// Takes the pattern of these arrays, with no copy of the rows where they are sorted, of the
  /// lower triangle and count from 0, and of the offsets where they have 64 bits besides. Throws
  /// InputError for offsets that do not ascend, a row outside its triangle, an entry that is given
  /// twice, a missing diagonal entry, and in a full matrix an entry without its mirror; rows and
  /// columns in messages count from the base. Throws UsageError for another base. Cost O(n +
  /// entries).
  SharedPattern(const CompressedColumns& arrays, Arrays how);
  SharedPattern(const SharedPattern&) = delete;
  SharedPattern& operator=(const SharedPattern&) = delete;

  /// Returns whether the application gives its values in the order of the pattern.
  bool is_in_order() const { return source_.empty(); }
  /// Returns how many values the application gives.
  Count given() const { return given_; }
  /// Returns the values of the entries, of all values of the application. Throws InputError unless
  /// there is one for each of its entries, and in a full matrix for an entry that differs from its
  /// mirror by more than TriangleComparer allows.
  Buffer in_order(std::span<const double> given) const;
  /// Returns memory for so many values, as many as were kept where that may be: the first touch of
  /// fresh memory costs more than a copy.
  Buffer room_for(Count values) const;
  /// Takes memory that a matrix has no more use for. One array is kept for the next matrix.
  void keep_room(Buffer room) const;

 private:
  void view_own();
  void take_offsets(const CompressedColumns& arrays, Arrays how);
  void take_sorted_rows(const CompressedColumns& arrays, Arrays how);
  void convert(const CompressedColumns& arrays);
  void expect_equal_mirrors(std::span<const double> lower, std::span<const double> given) const;

  LowerPattern own_;  ///< what is not an array of the application
  std::vector<Count>
      source_;  ///< which of the application's values each entry has; empty: the same
  std::vector<Count>
      mirror_;       ///< of a full matrix, which of these values the mirror of each entry has
  Index base_ = 0;   ///< the application's rows and columns count from it
  Count given_ = 0;  ///< how many values the application gives
  mutable std::mutex mutex_;
  mutable Buffer room_;  ///< guarded by the mutex
};

}  // namespace espalier::internal
