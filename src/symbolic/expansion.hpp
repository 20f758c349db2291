// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/permutation.hpp"
#include "ordering/compression.hpp"
#include "symbolic/row_structure.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier {

/// Columns of L from the vertices of a compressed graph in their final order: the members of each
/// vertex, one after the other.
struct ColumnNumbering {
  Permutation permutation;          ///< numbering of A (old) to numbering of L (new)
  std::vector<Index> column_begin;  ///< of vertex i of the final order; n columns behind the last
};

/// `vertex_at[i]` is the i-th vertex of the graph in the final order.
ColumnNumbering number_columns(const CompressedGraph& graph, std::span<const Index> vertex_at,
                               Index workers = 1);

/// Turns vertices into columns of L: the room of every supernode then holds its rows, its own
/// columns first. Cost O(rows of L).
void expand_rows(const Supernodes& supernodes, std::span<const Index> column_begin,
                 RowStructure& rows, Index workers = 1);

}  // namespace espalier
