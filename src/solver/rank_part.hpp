// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codelets/entries.hpp"
#include "mapping/local_structure.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier {

/// What one rank has of a matrix and of the structure of its factor: the columns of its domain and
/// the shared ones, in the local numbering.
struct RankPart {
  LocalStructure structure;
  /// Of its columns of A, permuted; the k-th entry is the k-th of the rank's values.
  PanelEntries entries;
  /// The column of A, and the place in b and x, that each local column is.
  std::vector<Index> original;
};

/// The part of `rank`. `entries` are those of the whole matrix. Cost O(columns of the whole + rows
/// and entries of the part).
RankPart rank_part(const SymbolicFactor& whole, const PanelEntries& entries, const RankMap& map,
                   Index rank);

/// Hands f the values of the part one piece after the other, from those of the whole matrix.
void for_values_of_part(const PanelStructure& whole, const PanelEntries& entries,
                        const RankMap& map, Index rank, std::span<const double> values,
                        const std::function<void(std::span<const double> piece)>& f);

}  // namespace espalier
