// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
  /// Of its columns of A, permuted. Their sources count the entries of the rank alone, in the order
  /// of the pattern of A: so the values that it gets are read one after the other.
  PanelEntries entries;
  /// The column of A, and the place in b and x, that each local column is.
  std::vector<Index> original;
};

/// The part of `rank`. `entries` are those of the whole matrix. Cost O(columns of the whole + rows
/// and entries of the part).
RankPart rank_part(const SymbolicFactor& whole, const PanelEntries& entries, const RankMap& map,
                   Index rank);

/// Of each entry of A, in the order of its pattern: the rank whose domain it belongs to, or
/// `shared` where it belongs to all.
std::vector<Index> owners_of_entries(const PanelStructure& whole, const PanelEntries& entries,
                                     const RankMap& map);

}  // namespace espalier
