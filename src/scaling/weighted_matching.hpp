// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Relations of columns that pivots of an indefinite matrix need. Both lists are empty without a
/// matching.
struct MatchedColumns {
  /// The other column of a 2 x 2 pivot; the column itself if it is single.
  std::vector<Index> partner;
  /// A column that should be eliminated before this one, because its update gives this one a large
  /// pivot; -1 if there is none.
  std::vector<Index> predecessor;

  Index pairs() const;
};

/// Symmetric scaling, and relations of columns, for the pivots of an indefinite matrix.
struct WeightedMatching {
  /// Scale s_i of each row and its column: |s_i a_ij s_j| is at most 1, and 1 for every matched
  /// entry, up to rounding. Empty if its range is too large (weighted_matching()).
  std::vector<double> scale;
  MatchedColumns columns;
  /// Number of columns without a matched entry. If it is not 0, A is singular for any values.
  Index unmatched = 0;
};

/// Returns the scaling and the columns of a matching with the largest product of absolute values. A
/// cycle of the matching's permutation is divided into pairs and, if its length is odd, one single
/// column; the division has the largest product of scaled pivots. Columns without a matched entry
/// stay single.
///
/// A pair remains only if the scaled diagonal entries of both columns are below 0.01, because pairs
/// add entries to L. If one of them is larger, its column becomes the predecessor of the other one:
/// the matched entry has size 1, so that the first pivot gives the second one a size of at least
/// about 1. The experiment `pairs` compares rules.
///
/// The scaling is discarded if, after equilibration(), its largest factor exceeds its smallest one
/// by 2^52, because its small entries would then vanish in rounding errors. Values must be finite;
/// zeros count as missing. Cost: see bipartite_matching(), which runs twice if A is structurally
/// singular.
///
/// Duff and Pralet, "Strategies for scaling and pivoting for sparse symmetric indefinite problems",
/// SIAM J. Matrix Anal. Appl. 27, 2005, sections 2 and 3; Schenk and Gaertner, "On fast
/// factorization pivoting methods for sparse symmetric indefinite systems", ETNA 23, 2006.
WeightedMatching weighted_matching(const SparseMatrixView& a);

}  // namespace espalier::internal
