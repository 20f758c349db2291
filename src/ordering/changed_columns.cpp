// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/changed_columns.hpp"

#include <algorithm>

namespace espalier::internal {

namespace {

/// Marks both ends of each entry of one sorted column that is missing in the other.
void mark_missing(std::span<const Index> rows, std::span<const Index> in, Index column,
                  std::vector<char>& changed) {
  auto next = in.begin();
  for (const Index i : rows) {
    next = std::lower_bound(next, in.end(), i);
    if (next != in.end() && *next == i) continue;
    changed[i] = 1;
    changed[column] = 1;
  }
}

std::vector<char> changed_in_place(const PatternView& pattern, const PatternView& previous) {
  std::vector<char> changed(pattern.n, 0);
  for (Index j = 0; j < pattern.n; ++j) {
    if (std::ranges::equal(pattern.column(j), previous.column(j))) continue;
    mark_missing(pattern.column(j), previous.column(j), j, changed);
    mark_missing(previous.column(j), pattern.column(j), j, changed);
  }
  return changed;
}

/// Returns the number of neighbours of each column.
std::vector<Index> neighbour_counts(const PatternView& pattern) {
  std::vector<Index> count(pattern.n, 0);
  for (Index j = 0; j < pattern.n; ++j) {
    const auto below = pattern.column(j).subspan(1);
    count[j] += static_cast<Index>(below.size());
    for (const Index i : below) ++count[i];
  }
  return count;
}

}  // namespace

std::vector<char> changed_columns(const PatternView& pattern, const PatternView& previous,
                                  std::span<const Index> previous_of) {
  if (previous_of.empty()) return changed_in_place(pattern, previous);
  std::vector<char> changed(pattern.n, 0);
  std::vector<Index> missing = neighbour_counts(previous);  // neighbours that are not found again
  for (Index j = 0; j < pattern.n; ++j) {
    if (previous_of[j] < 0) changed[j] = 1;
    for (const Index i : pattern.column(j).subspan(1)) {
      const auto [first, second] = std::minmax(previous_of[i], previous_of[j]);
      if (first >= 0 && std::ranges::binary_search(previous.column(first), second)) {
        --missing[first];
        --missing[second];
      } else {
        changed[i] = 1;
        changed[j] = 1;
      }
    }
  }
  for (Index j = 0; j < pattern.n; ++j) {
    if (previous_of[j] >= 0 && missing[previous_of[j]] > 0) changed[j] = 1;
  }
  return changed;
}

}  // namespace espalier::internal
