// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/context.hpp"
#include "codelets/payload/message.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns whether an ascending list holds consecutive numbers.
inline bool contiguous(std::span<const Index> list) {
  return list.empty() || list.back() - list.front() == static_cast<Index>(list.size()) - 1;
}

/// Positions of the members of `subset` in `list`, both ascending and the one contained in the
/// other. Cost O(length of the part of the list that is walked).
inline void merge_positions(std::span<const Index> subset, std::span<const Index> list,
                            Index* position) {
  Index at = 0;
  for (std::size_t i = 0; i < subset.size(); ++i) {
    while (list[at] != subset[i]) ++at;
    position[i] = at;
  }
}

/// Returns the positions of columns of L after that of the first one, in the map; none where they
/// are consecutive.
inline std::span<const Index> positions_of_columns(std::span<const Index> columns, Index* map) {
  if (contiguous(columns)) return {};
  for (std::size_t j = 0; j < columns.size(); ++j) map[j] = columns[j] - columns.front();
  return {map, columns.size()};
}

/// A panel of L, or some of its rows, that takes updates from whole panels, one at a time.
class UpdateTarget {
 public:
  /// Row i of the target is row rows[i] of L, and its first column is column `first_column` of L.
  /// The rows may lack some of the columns, as those of a contribution do. The maps of the
  /// workspace are in use as long as the object and its products are.
  /// Cost O(rows).
  UpdateTarget(std::span<const Index> rows, Index first_column, Workspace& workspace);

  /// Returns what the source panel contributes to these rows, a product of the panel with itself:
  /// `source_rows` are its rows of L, [begin, end) those that face the target's panel. It has no
  /// rows where the source has none of the target's. The next product takes its place in the maps.
  Product product(std::span<const Index> source_rows, Index begin, Index end) const;

 private:
  std::span<const Index> rows_;
  Index first_column_;
  Workspace& workspace_;
};

}  // namespace espalier::internal
