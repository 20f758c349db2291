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

/// Finds the positions of the members of `subset` in `list`. Both lists ascend, and `list` contains
/// `subset`. Cost O(length of the part of `list` up to the last member).
inline void merge_positions(std::span<const Index> subset, std::span<const Index> list,
                            Index* position) {
  Index at = 0;
  for (std::size_t i = 0; i < subset.size(); ++i) {
    while (list[at] != subset[i]) ++at;
    position[i] = at;
  }
}

/// Returns the positions of columns of L relative to the first one, in the map. Returns an empty
/// list if the columns are consecutive.
inline std::span<const Index> positions_of_columns(std::span<const Index> columns, Index* map) {
  if (contiguous(columns)) return {};
  for (std::size_t j = 0; j < columns.size(); ++j) map[j] = columns[j] - columns.front();
  return {map, columns.size()};
}

/// A panel of L, or some of its rows, that is updated by whole panels, one at a time.
class UpdateTarget {
 public:
  /// Row i of the target is row rows[i] of L, and its first column is column `first_column` of L.
  /// The rows may lack some of the columns, as in a contribution. The object and its products use
  /// the maps of the workspace as long as they live. Cost O(rows).
  UpdateTarget(std::span<const Index> rows, Index first_column, Workspace& workspace);

  /// Returns the update of these rows by a source panel, as a product of that panel with itself.
  /// `source_rows` are the panel's rows of L, and [begin, end) are the rows that face the target's
  /// panel. The product has no rows if the source has none of the target's rows. The next product
  /// overwrites its maps.
  Product product(std::span<const Index> source_rows, Index begin, Index end) const;

 private:
  std::span<const Index> rows_;
  Index first_column_;
  Workspace& workspace_;
};

}  // namespace espalier::internal
