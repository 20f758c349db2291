// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/symmetric_builder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <locale>
#include <numeric>
#include <sstream>

#include "base/memory.hpp"
#include "espalier/symmetry.hpp"

namespace espalier::internal {

namespace {

Index lower_row(Index stored_row) { return stored_row < 0 ? ~stored_row : stored_row; }

/// Sums of the entries at one position of the lower triangle, separately for each triangle in which
/// they were given.
struct PlaceSums {
  double lower = 0, upper = 0;
  Count lower_entries = 0, upper_entries = 0;

  void add(bool upper_one, double value) {
    (upper_one ? upper : lower) += value;
    ++(upper_one ? upper_entries : lower_entries);
  }
  bool in_both() const { return lower_entries > 0 && upper_entries > 0; }
};

std::string shortest(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

/// Merges the entries at one position into one.
struct PlaceMerger {
  Storage storage;
  bool with_values;
  const std::vector<double>& diagonal;
  InputNotes& notes;

  double merge(const PlaceSums& sums, Index row, Index column) {
    notes.duplicates_summed +=
        std::max<Count>(sums.lower_entries - 1, 0) + std::max<Count>(sums.upper_entries - 1, 0);
    if (!std::isfinite(sums.lower) || !std::isfinite(sums.upper)) {
      throw EntryError({EntryDefect::Kind::sum_not_finite, row, column});
    }
    if (row == column) return sums.lower;
    if (storage == Storage::both_triangles) return reconcile(sums, row, column);
    if (sums.in_both()) throw EntryError({EntryDefect::Kind::mirror_in_one_triangle, row, column});
    return sums.lower + sums.upper;
  }

  double reconcile(const PlaceSums& sums, Index row, Index column) {
    if (sums.lower == sums.upper && (with_values || sums.in_both())) return sums.lower;
    if (!with_values || !differ_by_rounding(sums, row, column)) refuse(sums, row, column);
    ++notes.mirrors_averaged;
    return sums.lower + (sums.upper - sums.lower) / 2;
  }

  bool differ_by_rounding(const PlaceSums& sums, Index row, Index column) const {
    if (sums.in_both() && mirrors_agree(sums.lower, sums.upper)) return true;
    return is_rounding_error(sums.lower - sums.upper, diagonal[row], diagonal[column]);
  }

  [[noreturn]] static void refuse(const PlaceSums& sums, Index row, Index column) {
    if (sums.in_both()) {
      throw EntryError({EntryDefect::Kind::mirror_differs, row, column, sums.lower, sums.upper});
    }
    if (sums.lower_entries == 0) std::swap(row, column);
    throw EntryError({EntryDefect::Kind::mirror_missing, row, column});
  }
};

/// Sorts the entries of one column by row. Entries with the same row keep their order.
class ColumnSorter {
 public:
  void sort(Index* row, double* value, Count entries) {
    const auto by_row = [](Index a, Index b) { return lower_row(a) < lower_row(b); };
    if (std::is_sorted(row, row + entries, by_row)) return;
    order_.resize(entries);
    std::iota(order_.begin(), order_.end(), Count{0});
    std::sort(order_.begin(), order_.end(), [row](Count a, Count b) {
      return std::pair(lower_row(row[a]), a) < std::pair(lower_row(row[b]), b);
    });
    gather(row, row_);
    if (value != nullptr) gather(value, value_);
  }

 private:
  template <typename T>
  void gather(T* target, std::vector<T>& copy) {
    copy.assign(target, target + order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) target[k] = copy[order_[k]];
  }

  std::vector<Count> order_;
  std::vector<Index> row_;
  std::vector<double> value_;
};

}  // namespace

std::string EntryDefect::describe(Index first_index) const {
  std::ostringstream text;
  text.imbue(std::locale::classic());  // because the application's locale may group digits
  const auto place = [&](Index i, Index j) {
    text << "(" << Count{i} + first_index << ", " << Count{j} + first_index << ")";
  };
  text << "the entry ";
  place(row, column);
  switch (kind) {
    case Kind::missing_diagonal:
      text << " on the diagonal is missing, so the matrix is not positive definite; an indefinite "
              "matrix must store its zeros on the diagonal";
      break;
    case Kind::mirror_differs:
      text << " = " << shortest(value) << " differs from its mirror ";
      place(column, row);
      text << " = " << shortest(mirror) << ", so the matrix is not symmetric";
      break;
    case Kind::mirror_missing:
      text << " has no mirror ";
      place(column, row);
      text << ", so the matrix is not symmetric";
      break;
    case Kind::mirror_in_one_triangle:
      text << " is given together with its mirror ";
      place(column, row);
      text << " in a file declared to hold one triangle";
      break;
    case Kind::given_twice: text << " is given twice"; break;
    case Kind::sum_not_finite: text << " has duplicates whose sum is not finite"; break;
  }
  return text.str();
}

SymmetricBuilder::SymmetricBuilder(Index n, Storage storage, bool with_values,
                                   Count expected_entries)
    : storage_(storage),
      with_values_(with_values),
      in_place_(storage == Storage::one_triangle),
      expected_entries_(expected_entries) {
  matrix_.pattern.n = n;
  expect_available("the matrix", bytes_of_matrix(0, expected_entries));
  if (in_place_) {
    matrix_.pattern.row.reserve(expected_entries);
    if (with_values_) matrix_.value.reserve(expected_entries);
  } else {
    move_to_triplets();
  }
}

void SymmetricBuilder::add_triplet(Index row, Index column, double value) {
  if (in_place_) move_to_triplets();
  const bool upper = row < column;
  row_.push_back(upper ? ~column : row);
  column_.push_back(upper ? row : column);
  if (with_values_) value_.push_back(value);
}

void SymmetricBuilder::move_to_triplets() {
  in_place_ = false;
  row_ = std::move(matrix_.pattern.row);
  value_ = std::move(matrix_.value);
  row_.reserve(expected_entries_);
  column_.reserve(expected_entries_);
  if (with_values_) value_.reserve(expected_entries_);

  std::vector<Count> column_begin = std::move(matrix_.pattern.column_begin);
  column_begin.push_back(static_cast<Count>(row_.size()));
  for (std::size_t j = 0; j + 1 < column_begin.size(); ++j) {
    column_.insert(column_.end(), column_begin[j + 1] - column_begin[j], static_cast<Index>(j));
  }
  if (triangle_ == Triangle::upper) {
    for (std::size_t k = 0; k < row_.size(); ++k) {
      if (row_[k] != column_[k]) row_[k] = ~row_[k];
    }
  }
  release(matrix_.pattern.row);
  release(matrix_.value);
}

SparseMatrix SymmetricBuilder::finish(InputNotes& notes, Diagonal diagonal) {
  LowerPattern& pattern = matrix_.pattern;
  notes.entries_read += static_cast<Count>(in_place_ ? pattern.row.size() : row_.size());
  if (const Index missing = first_missing_diagonal(); missing < pattern.n) {
    if (diagonal == Diagonal::required || !may_add_diagonal()) {
      throw EntryError({EntryDefect::Kind::missing_diagonal, missing, missing});
    }
    add_diagonal(notes);
  }
  if (in_place_) {
    pattern.column_begin.resize(static_cast<std::size_t>(pattern.n) + 1,
                                static_cast<Count>(pattern.row.size()));
  } else {
    sort_triplets_by_column();
    merge_duplicates(notes);
  }
  return std::move(matrix_);
}

/// Returns n if none is missing. Uses memory in proportion to the entries, even if the file claims
/// a large n.
Index SymmetricBuilder::first_missing_diagonal() const {
  const Index n = matrix_.pattern.n;
  if (in_place_) {
    const auto& [order, column_begin, row] = matrix_.pattern;
    const Index columns = static_cast<Index>(std::min<std::size_t>(n, column_begin.size()));
    for (Index j = 0; j < columns; ++j) {
      const std::size_t first = column_begin[j];
      if (first == row.size() || row[first] != j) return j;
    }
    return columns;
  }
  // If there are more rows than entries, one of the first entries + 1 rows has no diagonal entry.
  std::vector<bool> present(std::min<std::size_t>(n, row_.size() + 1), false);
  for (std::size_t k = 0; k < row_.size(); ++k) {
    if (row_[k] == column_[k] && static_cast<std::size_t>(row_[k]) < present.size()) {
      present[row_[k]] = true;
    }
  }
  return static_cast<Index>(std::find(present.begin(), present.end(), false) - present.begin());
}

bool SymmetricBuilder::may_add_diagonal() const {
  constexpr Count always = 1000000;
  constexpr Count for_an_entry = 1000;
  const Count entries = in_place_ ? std::ssize(matrix_.pattern.row) : std::ssize(row_);
  return matrix_.pattern.n <= std::max(always, for_an_entry * entries);
}

void SymmetricBuilder::add_diagonal(InputNotes& notes) {
  if (in_place_) move_to_triplets();
  const Index n = matrix_.pattern.n;
  std::vector<bool> present(n, false);
  for (std::size_t k = 0; k < row_.size(); ++k) {
    if (row_[k] == column_[k]) present[row_[k]] = true;
  }
  const auto missing = static_cast<Count>(std::ranges::count(present, false));
  expect_available("the matrix", bytes_of_matrix(n, std::ssize(row_) + missing));
  for (Index j = 0; j < n; ++j) {
    if (!present[j]) add_triplet(j, j, 0);
  }
  notes.diagonal_added += missing;
}

void SymmetricBuilder::sort_triplets_by_column() {
  LowerPattern& pattern = matrix_.pattern;
  expect_available("the matrix", bytes_of_matrix(pattern.n, std::ssize(row_)));
  pattern.column_begin.assign(static_cast<std::size_t>(pattern.n) + 1, 0);
  for (const Index j : column_) ++pattern.column_begin[j + 1];
  std::partial_sum(pattern.column_begin.begin(), pattern.column_begin.end(),
                   pattern.column_begin.begin());

  pattern.row.resize(row_.size());
  matrix_.value.resize(value_.size());
  const bool compare = with_values_ && storage_ == Storage::both_triangles;
  if (compare) diagonal_.assign(pattern.n, 0);
  std::vector<Count> next(pattern.column_begin.begin(), pattern.column_begin.end() - 1);
  for (std::size_t k = 0; k < row_.size(); ++k) {
    const Count at = next[column_[k]]++;
    pattern.row[at] = row_[k];
    if (with_values_) matrix_.value[at] = value_[k];
    if (compare && row_[k] == column_[k]) diagonal_[row_[k]] += value_[k];
  }
  release(row_);
  release(column_);
  release(value_);
}

/// Merges the entries at each position, and moves the columns together.
void SymmetricBuilder::merge_duplicates(InputNotes& notes) {
  auto& [n, column_begin, row] = matrix_.pattern;
  auto& value = matrix_.value;
  ColumnSorter sorter;
  PlaceMerger merger{storage_, with_values_, diagonal_, notes};
  Count kept = 0;
  for (Index j = 0; j < n; ++j) {
    Count k = column_begin[j];
    const Count end = column_begin[j + 1];
    sorter.sort(row.data() + k, with_values_ ? value.data() + k : nullptr, end - k);
    column_begin[j] = kept;
    for (; k < end; ++kept) {
      const Index i = lower_row(row[k]);
      PlaceSums sums;
      for (; k < end && lower_row(row[k]) == i; ++k) {
        sums.add(row[k] < 0, with_values_ ? value[k] : 0);
      }
      const double merged = merger.merge(sums, i, j);
      row[kept] = i;
      if (with_values_) value[kept] = merged;
    }
  }
  column_begin[n] = kept;
  row.resize(kept);
  row.shrink_to_fit();
  if (with_values_) value.resize(kept);
  value.shrink_to_fit();
}

}  // namespace espalier::internal
