// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "espalier/espalier.hpp"
#include "espalier/symmetry.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// One triangle of an n-by-n matrix whose arrays may hold both. The arrays are compressed columns
/// with ascending rows. Compressed rows can be passed as the columns of the other triangle. The
/// arrays must outlive the object. If they are not the arrays of such a matrix, copy_pattern() and
/// for_values() return false.
template <class Offset, class Number>
class StoredTriangle {
 public:
  StoredTriangle(std::span<const Offset> begin, std::span<const Number> row, bool upper)
      : begin_(begin), row_(row), upper_(upper) {
    sound_ = !begin.empty() && begin.front() == 0 && begin.back() == std::ssize(row) &&
             std::ranges::is_sorted(begin);
  }

  /// Copies the offsets and the rows of the triangle and returns true. Returns false if a diagonal
  /// entry is missing. Cost O(entries).
  bool copy_pattern(std::vector<Count>& begin, std::vector<Index>& row) const {
    if (!sound_) return false;
    begin.assign(1, 0);
    begin.reserve(begin_.size());
    row.reserve(row_.size() / 2 + begin_.size());
    for (Count j = 0; j + 1 < std::ssize(begin_); ++j) {
      const Part part = part_of(j);
      if (part.size() == 0 || row_[upper_ ? part.last - 1 : part.first] != j) return false;
      row.insert(row.end(), row_.begin() + part.first, row_.begin() + part.last);
      begin.push_back(std::ssize(row));
    }
    return true;
  }

  /// Calls append(values) for each column, with the values of the column in the triangle. Returns
  /// whether the triangle has the pattern given by `begin` and `row`; stops at the first column
  /// that differs. Cost O(entries).
  template <class Append>
  bool for_values(std::span<const Count> begin, std::span<const Index> row,
                  std::span<const double> value, Append append) const {
    if (!sound_ || begin.size() != begin_.size() || value.size() != row_.size()) return false;
    const auto count = [begin](Count j) { return begin[j + 1] - begin[j]; };
    const Count n = std::ssize(begin) - 1;
    for (Count j = 0; j < n; ++j) {
      if (j + fetched_ahead < n) {
        fetch(end_of(j + fetched_ahead, count(j + fetched_ahead)), value);
      }
      const auto known = row.subspan(begin[j], count(j));
      const Part part = part_of(j, count(j));
      if (!std::ranges::equal(known, row_.subspan(part.first, part.size()))) return false;
      append(value.subspan(part.first, part.size()));
    }
    return true;
  }

  /// Compares both triangles of the arrays with these values. Cost: one pass over the entries.
  TriangleComparison compare(std::span<const double> value) const {
    if (!sound_ || value.size() != row_.size()) return {};
    return TriangleComparer(Whole{begin_, row_, value}).compare();
  }

 private:
  /// The arrays in the form that TriangleComparer needs.
  struct Whole {
    std::span<const Offset> columns;
    std::span<const Number> rows;
    std::span<const double> values;

    Count size() const { return std::ssize(columns) - 1; }
    Count begin(Count j) const { return columns[j]; }
    Count end(Count j) const { return columns[j + 1]; }
    Count row(Count k) const { return rows[k]; }
    double value(Count k) const { return values[k]; }
  };

  /// Number of columns between the prefetch of a column and its use. Hardware prefetchers do not
  /// predict the accesses, because the triangle skips half of each column.
  static constexpr Count fetched_ahead = 8;
  static constexpr std::ptrdiff_t cache_line = 64;

  /// Positions of the entries of one column in the triangle.
  struct Part {
    std::ptrdiff_t first;
    std::ptrdiff_t last;
    std::ptrdiff_t size() const { return last - first; }
  };

  Part part_of(Count j) const {
    const auto first = row_.begin() + begin_[j];
    const auto last = row_.begin() + begin_[j + 1];
    const auto split = upper_ ? std::upper_bound(first, last, j) : std::lower_bound(first, last, j);
    return upper_ ? Part{first - row_.begin(), split - row_.begin()}
                  : Part{split - row_.begin(), last - row_.begin()};
  }

  /// Returns the first `count` entries of a column for the upper triangle, and the last ones for
  /// the lower triangle. The result is empty if the column has fewer entries.
  Part end_of(Count j, std::ptrdiff_t count) const {
    const std::ptrdiff_t first = begin_[j];
    const std::ptrdiff_t last = begin_[j + 1];
    if (count > last - first) return {first, first};
    return upper_ ? Part{first, first + count} : Part{last - count, last};
  }

  /// Returns the entries of a column in the triangle. The result is empty if their number is not
  /// `count`.
  Part part_of(Count j, std::ptrdiff_t count) const {
    const Part part = end_of(j, count);
    const std::ptrdiff_t split = upper_ ? part.last : part.first;
    const bool before = split == begin_[j] || (upper_ ? row_[split - 1] <= j : row_[split - 1] < j);
    const bool behind = split == begin_[j + 1] || (upper_ ? row_[split] > j : row_[split] >= j);
    return before && behind ? part : Part{part.first, part.first};
  }

  /// Always inlined, because GCC removes calls of functions that only prefetch.
  [[gnu::always_inline]] void fetch(Part part, std::span<const double> value) const {
    for (auto k = part.first; k < part.last; k += cache_line / std::ptrdiff_t{sizeof value[0]}) {
      __builtin_prefetch(value.data() + k);
    }
    for (auto k = part.first; k < part.last; k += cache_line / std::ptrdiff_t{sizeof(Number)}) {
      __builtin_prefetch(row_.data() + k);
    }
  }

  std::span<const Offset> begin_;
  std::span<const Number> row_;
  bool upper_;
  bool sound_;
};

/// Returns the matrix with the given pattern and the values of the triangle. Returns nothing if the
/// triangle has other entries than the pattern. `begin` and `row` are the arrays that the pattern
/// was made from. Cost O(entries).
template <class Offset, class Number>
std::optional<Matrix> with_values_of(const StoredTriangle<Offset, Number>& triangle,
                                     std::span<const double> value, const Matrix& pattern,
                                     std::span<const Count> begin, std::span<const Index> row) {
  bool same_entries = false;
  const Matrix matrix = pattern.with_values([&](std::span<double> to) {
    auto at = to.begin();
    same_entries = triangle.for_values(begin, row, value, [&](std::span<const double> some) {
      at = std::ranges::copy(some, at).out;
    });
  });
  return same_entries ? std::optional(matrix) : std::nullopt;
}

}  // namespace espalier::internal
