// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Relations of columns that pivots of an indefinite matrix need. Both lists are empty without a
/// matching.
struct MatchedColumns {
  /// The other column of a 2 x 2 pivot; the column itself if it is single.
  std::vector<Index> partner{};
  /// A column that should be eliminated before this one, because its update gives this one a large
  /// pivot; -1 if there is none. No column precedes two columns.
  std::vector<Index> predecessor{};

  Index pairs() const;
  /// Returns whether a column has a partner or a predecessor.
  bool relates_columns() const;
};

/// Returns relations that give each column with a small diagonal entry a large pivot. An entry is
/// small if it is below 0.01 after diagonal_equilibration(). All other columns stay single and need
/// no predecessor.
///
/// A matching of the columns with small diagonal entries with rows makes the product of their
/// pivots largest. With a row i whose diagonal entry is large, the pivot of column j is the update
/// a_ij^2 / a_ii. With a row whose diagonal entry is small, the two columns may have a 2 x 2 pivot
/// of size a_ij^2. The matching consists of cycles of columns with small diagonal entries, and of
/// chains. In a chain, each column is matched with the row of the one before it. Most chains begin
/// with a column with a large diagonal entry. Cycles and chains are divided into pairs. If a single
/// column remains in such a chain, it follows the first column. If a single column remains in a
/// cycle, or in a chain of a structurally singular matrix, nothing precedes it.
///
/// Values must be finite; zeros count as missing. Cost: see bipartite_matching(), for the columns
/// with small diagonal entries. The experiment `pairs` compares rules.
///
/// Duff and Pralet, "Strategies for scaling and pivoting for sparse symmetric indefinite problems",
/// SIAM J. Matrix Anal. Appl. 27, 2005, sections 2 and 3, match all columns instead. Schenk and
/// Gaertner, "On fast factorization pivoting methods for sparse symmetric indefinite systems", ETNA
/// 23, 2006.
MatchedColumns weighted_matching(const SparseMatrixView& a);

}  // namespace espalier::internal
