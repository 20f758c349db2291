// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "distributed/partition.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal::support {

/// Calls visit(row, column, k) for the entries of A of this rank, in their order.
template <class Visit>
void for_each_entry_of(const RankDivision& division, Index rank, const PatternView& pattern,
                       Visit visit) {
  const std::vector<Index>& ranks = division.rank_of_column();
  for (Index j = 0; j < pattern.n; ++j) {
    for (Count k = pattern.column_begin[j]; k < pattern.column_begin[j + 1]; ++k) {
      const Index owner = entry_owner(ranks[pattern.row[k]], ranks[j]);
      if (owner == rank || owner == RankMap::shared) visit(pattern.row[k], j, k);
    }
  }
}

inline std::vector<ColumnPair> places_of_part(const RankDivision& division, Index rank,
                                              const PatternView& pattern) {
  std::vector<ColumnPair> places;
  for_each_entry_of(division, rank, pattern, [&](Index row, Index column, Count) {
    places.push_back(division.places(row, column));
  });
  return places;
}

inline std::vector<double> values_of_part(const RankDivision& division, Index rank,
                                          const SparseMatrixView& a) {
  std::vector<double> values;
  for_each_entry_of(division, rank, a.pattern,
                    [&](Index, Index, Count k) { values.push_back(a.value[k]); });
  return values;
}

}  // namespace espalier::internal::support
