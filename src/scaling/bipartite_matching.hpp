// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Matching of rows with columns of a symmetric matrix B, and the dual variables that prove that
/// the product of the matched entries is as large as possible.
struct BipartiteMatching {
  std::vector<Index> row_of;  ///< matched row of each column; -1 for none
  Index matched = 0;          ///< number of matched columns
  /// Base-2 logarithms of further scales of rows and columns: 2^row_log[i] |b_ij| 2^column_log[j]
  /// is at most 1, and 1 if row i and column j are matched, up to rounding. They are valid only if
  /// all rows that take part are matched.
  std::vector<double> row_log, column_log;
};

/// Returns a matching of b_ij = s_i a_ij s_j, given the base-2 logarithms of the scales s. It has
/// as many entries as possible. If it matches all rows that take part, the product of the absolute
/// values of its entries is the largest. A row takes part, with its column, if takes_part[i] is
/// nonzero; an empty vector stands for all. Entries of value zero count as missing. Values must be
/// finite.
///
/// Most columns are matched by their cheapest entries. A shortest augmenting path, found with a
/// heap, adds each of the others. If no path exists, no later path leads through the rows that the
/// search has reached, so that they are left out from then on. Cost: about O(nnz) in common cases,
/// and at worst O(n nnz log n). Duff and Koster, "On algorithms for permuting large entries to the
/// diagonal of a sparse matrix", SIAM J. Matrix Anal. Appl. 22, 2001, sections 2 to 4.
BipartiteMatching bipartite_matching(const SparseMatrixView& a, std::span<const double> log_scale,
                                     const std::vector<char>& takes_part = {});

}  // namespace espalier::internal
