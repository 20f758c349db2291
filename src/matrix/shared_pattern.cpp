// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/shared_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "espalier/error.hpp"
#include "espalier/symmetry.hpp"
#include "matrix/sparse_matrix.hpp"
#include "matrix/symmetric_builder.hpp"

namespace espalier::internal {

namespace {

using Kind = EntryDefect::Kind;

/// Throws InputError for a defect of an entry of either triangle.
[[noreturn]] void refuse(Kind kind, Index row, Index column, const CompressedColumns& arrays) {
  throw InputError(EntryDefect{kind, row, column}.describe(arrays.base));
}

/// One triangle of an application's matrix, as a lower triangle with sorted columns.
struct SortedTriangle {
  LowerPattern pattern;
  std::vector<Count> source;  ///< position of each entry in the application's arrays
};

/// Sorts the entries of one triangle by column and row: first into one list per row, then, row by
/// row, into their columns.
class TriangleSorter {
 public:
  TriangleSorter(const CompressedColumns& arrays, std::span<const Count> begin, Triangle triangle)
      : arrays_(arrays), begin_(begin), triangle_(triangle) {}

  SortedTriangle sort() {
    list_rows();
    SortedTriangle sorted;
    auto& [n, column_begin, row] = sorted.pattern;
    n = arrays_.n;
    column_begin = offsets([](const Listed& entry) { return entry.column; });
    row.resize(list_.size());
    sorted.source.resize(list_.size());
    std::vector<Count> next(column_begin.begin(), column_begin.end() - 1);
    for (Index i = 0; i < n; ++i) {
      for (Count k = list_begin_[i]; k < list_begin_[i + 1]; ++k) {
        const Count at = next[list_[k].column]++;
        row[at] = i;
        sorted.source[at] = list_[k].source;
      }
    }
    return sorted;
  }

 private:
  struct Listed {
    Index column;
    Count source;
  };

  /// Calls f(row, column, position in the arrays) for all entries of the triangle, with row >=
  /// column.
  template <class F>
  void for_each(F f) const {
    const bool upper = triangle_ == Triangle::upper;
    for (Index j = 0; j < arrays_.n; ++j) {
      for (Count k = begin_[j]; k < begin_[j + 1]; ++k) {
        const Index i = arrays_.row[k] - arrays_.base;
        if (upper ? i <= j : i >= j) f(std::max(i, j), std::min(i, j), k);
      }
    }
  }

  void list_rows() {
    list_begin_.assign(static_cast<std::size_t>(arrays_.n) + 1, 0);
    for_each([&](Index row, Index, Count) { ++list_begin_[row + 1]; });
    for (Index i = 0; i < arrays_.n; ++i) list_begin_[i + 1] += list_begin_[i];
    list_.resize(static_cast<std::size_t>(list_begin_.back()));
    std::vector<Count> next(list_begin_.begin(), list_begin_.end() - 1);
    for_each([&](Index row, Index column, Count k) { list_[next[row]++] = {column, k}; });
  }

  template <class Key>
  std::vector<Count> offsets(Key key) const {
    std::vector<Count> begin(static_cast<std::size_t>(arrays_.n) + 1, 0);
    for (const Listed& entry : list_) ++begin[key(entry) + 1];
    for (Index j = 0; j < arrays_.n; ++j) begin[j + 1] += begin[j];
    return begin;
  }

  const CompressedColumns& arrays_;
  std::span<const Count> begin_;
  Triangle triangle_;
  std::vector<Count> list_begin_;
  std::vector<Listed> list_;
};

/// Throws InputError if a row is outside the matrix or outside its triangle.
void expect_rows_in_triangle(const CompressedColumns& arrays, std::span<const Count> begin) {
  for (Index j = 0; j < arrays.n; ++j) {
    for (Count k = begin[j]; k < begin[j + 1]; ++k) {
      const Count i = Count{arrays.row[k]} - arrays.base;
      const bool above = arrays.triangle == Triangle::lower && i < j;
      const bool below = arrays.triangle == Triangle::upper && i > j;
      if (i >= 0 && i < arrays.n && !above && !below) continue;
      const char* const where = i < 0 || i >= arrays.n ? "outside the matrix"
                                : above                ? "above the diagonal"
                                                       : "below the diagonal";
      throw InputError("column " + std::to_string(Count{j} + arrays.base) +
                       " has an entry in row " + std::to_string(arrays.row[k]) + ", " + where +
                       "; rows and columns count from " + std::to_string(arrays.base));
    }
  }
}

/// Throws InputError if an entry is given twice, or if a diagonal entry is missing.
void expect_each_once(const LowerPattern& pattern, const CompressedColumns& arrays, bool upper) {
  for (Index j = 0; j < pattern.n; ++j) {
    const auto rows = pattern.column(j);
    if (rows.empty() || rows.front() != j) refuse(Kind::missing_diagonal, j, j, arrays);
    const auto twice = std::ranges::adjacent_find(rows);
    if (twice == rows.end()) continue;
    refuse(Kind::given_twice, upper ? j : *twice, upper ? *twice : j, arrays);
  }
}

/// Throws InputError unless both triangles have the same entries.
void expect_mirrors(const LowerPattern& lower, const LowerPattern& upper,
                    const CompressedColumns& arrays) {
  for (Index j = 0; j < lower.n; ++j) {
    const auto below = lower.column(j);
    const auto above = upper.column(j);
    const auto [i, mirror] = std::ranges::mismatch(below, above);
    if (i == below.end() && mirror == above.end()) continue;
    const bool lacks_upper = mirror == above.end() || (i != below.end() && *i < *mirror);
    if (lacks_upper) refuse(Kind::mirror_missing, *i, j, arrays);
    refuse(Kind::mirror_missing, j, *mirror, arrays);
  }
}

/// Returns whether the arrays are a sorted lower triangle with a full diagonal. Takes one pass.
bool is_sorted_lower(const CompressedColumns& arrays, std::span<const Count> begin) {
  if (arrays.triangle != Triangle::lower) return false;
  bool sound = true;
  for (Index j = 0; j < arrays.n && sound; ++j) {
    const auto rows = arrays.row.subspan(static_cast<std::size_t>(begin[j]),
                                         static_cast<std::size_t>(begin[j + 1] - begin[j]));
    sound =
        !rows.empty() && rows.front() - arrays.base == j && rows.back() - arrays.base < arrays.n;
    for (std::size_t k = 1; k < rows.size(); ++k) sound &= rows[k - 1] < rows[k];
  }
  return sound;
}

}  // namespace

SharedPattern::SharedPattern(LowerPattern own) : own_(std::move(own)) { view_own(); }

SharedPattern::SharedPattern(const CompressedColumns& arrays, Arrays how)
    : base_(arrays.base), given_(std::ssize(arrays.row)) {
  if (arrays.base != 0 && arrays.base != 1) {
    throw UsageError("the base of a matrix in arrays is " + std::to_string(arrays.base) +
                     "; expected 0 or 1");
  }
  n = own_.n = arrays.n;
  take_offsets(arrays, how);
  if (is_sorted_lower(arrays, column_begin)) {
    take_sorted_rows(arrays, how);
  } else {
    expect_rows_in_triangle(arrays, column_begin);
    convert(arrays);
  }
}

void SharedPattern::view_own() {
  n = own_.n;
  column_begin = own_.column_begin;
  row = own_.row;
  given_ = std::ssize(row);
}

void SharedPattern::take_offsets(const CompressedColumns& arrays, Arrays how) {
  const Count first =
      std::visit([](auto offsets) { return offsets.empty() ? Count{0} : Count{offsets.front()}; },
                 arrays.column_begin);
  if (first != arrays.base) {
    throw InputError("the column offsets begin with " + std::to_string(first) +
                     ", but rows and columns count from " + std::to_string(arrays.base));
  }
  const auto* const given = std::get_if<std::span<const Count>>(&arrays.column_begin);
  if (given != nullptr && arrays.base == 0 && how == Arrays::borrowed) {
    column_begin = *given;
  } else {
    std::visit(
        [&](auto offsets) {
          own_.column_begin.assign(offsets.begin(), offsets.end());
          for (Count& offset : own_.column_begin) offset -= arrays.base;
        },
        arrays.column_begin);
    column_begin = own_.column_begin;
  }
  check_offsets({n, column_begin, arrays.row});
}

void SharedPattern::take_sorted_rows(const CompressedColumns& arrays, Arrays how) {
  row = arrays.row;
  if (arrays.base != 0 || how == Arrays::copied) {
    own_.row.reserve(row.size());
    advise_huge_pages(own_.row.data(), row.size_bytes());
    own_.row.assign(row.begin(), row.end());
    if (arrays.base != 0) {
      for (Index& i : own_.row) i -= arrays.base;
    }
    row = own_.row;
  }
}

void SharedPattern::convert(const CompressedColumns& arrays) {
  const bool upper = arrays.triangle == Triangle::upper;
  SortedTriangle sorted =
      TriangleSorter(arrays, column_begin, upper ? Triangle::upper : Triangle::lower).sort();
  expect_each_once(sorted.pattern, arrays, upper);
  if (arrays.triangle == Triangle::full) {
    SortedTriangle above = TriangleSorter(arrays, column_begin, Triangle::upper).sort();
    expect_each_once(above.pattern, arrays, true);
    expect_mirrors(sorted.pattern, above.pattern, arrays);
    mirror_ = std::move(above.source);
  }
  const Count given = given_;
  own_ = std::move(sorted.pattern);
  source_ = std::move(sorted.source);
  view_own();
  given_ = given;
}

Buffer SharedPattern::in_order(std::span<const double> given) const {
  if (std::ssize(given) != given_) {
    throw InputError("the matrix has " + std::to_string(given.size()) + " values for " +
                     std::to_string(given_) + " entries");
  }
  Buffer value = buffer_for(entries());
  put_in_order(given, value.span());
  return value;
}

void SharedPattern::put_in_order(std::span<const double> given, std::span<double> value) const {
  if (is_in_order()) {
    std::ranges::copy(given, value.begin());
  } else {
    std::ranges::transform(source_, value.begin(), [given](Count k) { return given[k]; });
  }
  if (!mirror_.empty()) expect_equal_mirrors(value, given);
}

void SharedPattern::expect_equal_mirrors(std::span<const double> lower,
                                         std::span<const double> given) const {
  for (Index j = 0; j < n; ++j) {
    for (Count k = column_begin[j]; k < column_begin[j + 1]; ++k) {
      const double mirror = given[mirror_[k]];
      // The factorization refuses non-finite values of the lower triangle.
      if (mirrors_agree(lower[k], mirror) || !std::isfinite(lower[k])) continue;
      const Index i = row[k];
      if (!std::isfinite(mirror)) refuse_value(j, i, base_);
      const auto diagonal = [&](Index column) { return lower[column_begin[column]]; };
      if (is_rounding_error(lower[k] - mirror, diagonal(i), diagonal(j))) continue;
      throw InputError(EntryDefect{Kind::mirror_differs, i, j, lower[k], mirror}.describe(base_));
    }
  }
}

Buffer SharedPattern::buffer_for(Count values) const {
  {
    const std::lock_guard lock(mutex_);
    if (kept_buffer_.size() == values) return std::exchange(kept_buffer_, {});
  }
  return Buffer(values);
}

void SharedPattern::keep_buffer(Buffer buffer) const {
  const std::lock_guard lock(mutex_);
  kept_buffer_ = std::move(buffer);
}

}  // namespace espalier::internal
