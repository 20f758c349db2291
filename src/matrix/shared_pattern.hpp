// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "base/memory.hpp"
#include "espalier/compressed_columns.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Whether arrays of an application are used in place, if possible, or copied.
enum class Arrays { borrowed, copied };

/// Pattern that matrices, analyses and factors share. It uses its own arrays or arrays of an
/// application, and knows the order of the application's values.
class SharedPattern : public PatternView {
 public:
  explicit SharedPattern(LowerPattern own);
  /// Takes the pattern from these arrays. If `how` is borrowed and the arrays are a 0-based lower
  /// triangle with sorted rows and a full diagonal, the rows are not copied. The offsets are not
  /// copied either if they have 64 bits.
  ///
  /// Throws InputError if the offsets do not ascend, if a row is outside its triangle, if an entry
  /// is given twice, if a diagonal entry is missing, or if an entry of a full matrix has no mirror.
  /// Rows and columns in messages count from the base. Throws UsageError if the base is neither 0
  /// nor 1. Cost O(n + entries).
  SharedPattern(const CompressedColumns& arrays, Arrays how);
  SharedPattern(const SharedPattern&) = delete;
  SharedPattern& operator=(const SharedPattern&) = delete;

  /// Returns the number that the application gives to the first row and the first column.
  Index base() const { return base_; }
  /// Returns whether the application gives its values in the order of the pattern.
  bool is_in_order() const { return source_.empty(); }
  /// Returns the number of values that the application gives.
  Count given() const { return given_; }
  /// Returns the values of the pattern's entries, picked from the values of the application. Throws
  /// InputError if their number differs from given(). For a full matrix, also throws it if mirrors
  /// differ by more than rounding (mirrors_agree(), is_rounding_error()), or if a mirror is not
  /// finite.
  Buffer in_order(std::span<const double> given) const;
  /// Stores these values in an array with one place per entry.
  void put_in_order(std::span<const double> given, std::span<double> value) const;
  /// Returns memory for `values` values. Reuses the kept array if its size matches, because the
  /// first touch of fresh memory costs more than a copy.
  Buffer buffer_for(Count values) const;
  /// Keeps memory that a matrix no longer needs. Only one array is kept, for the next matrix.
  void keep_buffer(Buffer buffer) const;

 private:
  void view_own();
  void take_offsets(const CompressedColumns& arrays, Arrays how);
  void take_sorted_rows(const CompressedColumns& arrays, Arrays how);
  void convert(const CompressedColumns& arrays);
  void expect_equal_mirrors(std::span<const double> lower, std::span<const double> given) const;

  LowerPattern own_;  ///< parts that are not in arrays of the application
  /// For each entry, the position of its value in the application's values; empty: same order.
  std::vector<Count> source_;
  /// For each entry of a full matrix, the position of its mirror's value.
  std::vector<Count> mirror_;
  Index base_ = 0;   ///< base of the application's row and column indices
  Count given_ = 0;  ///< number of values that the application gives
  mutable std::mutex mutex_;
  mutable Buffer kept_buffer_;  ///< guarded by the mutex
};

}  // namespace espalier::internal
