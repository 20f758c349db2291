// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/forest_rows.hpp"

#include <numeric>
#include <utility>

#include "symbolic/partition_refinement.hpp"
#include "symbolic/row_structure.hpp"

namespace espalier {

ForestRows forest_rows(const Supernodes& supernodes, Index count, std::span<const ColumnPair> pairs,
                       bool refine, Index workers) {
  const auto begin = std::span(supernodes.begin).first(static_cast<std::size_t>(count) + 1);
  RowStructure rows = row_structure(
      earlier_neighbours(supernodes.begin.back(), pairs, begin.back()), supernodes, workers);
  ForestRows result;
  result.renumbering =
      refine ? refine_partition(begin, rows, workers) : Permutation::identity(begin.back());
  for (Index s = 0; s < count; ++s) {
    const auto own = rows.row.begin() + rows.begin[s];
    std::iota(own, own + supernodes.width[s], begin[s]);
  }
  rows.begin.resize(begin.size());
  rows.row.resize(static_cast<std::size_t>(rows.begin.back()));
  result.begin = std::move(rows.begin);
  result.row = std::move(rows.row);
  return result;
}

}  // namespace espalier
