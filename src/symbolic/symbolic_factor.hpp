// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/options.hpp"
#include "base/panel_structure.hpp"
#include "base/scalar.hpp"
#include "espalier/options.hpp"
#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"
#include "ordering/compression.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {

/// Structure of L for one permutation of A. It is immutable after construction, so that any number
/// of factorizations may share it.
struct SymbolicFactor : PanelStructure {
  Permutation permutation;              ///< numbering of A (old) to numbering of L (new)
  std::vector<Index> supernode_parent;  ///< -1 at a root; a parent is larger than its children
  /// The other column of each column's pair, or itself, in the numbering of L; empty without pairs.
  /// The columns of a pair are adjacent and in one panel.
  std::vector<Index> partner;

  Count nnz_l = 0;  ///< entries of the lower trapezoids of all supernodes, including explicit zeros
  double flops = 0;  ///< sum over the columns of L of (entries of the column)^2

  Count factor_bytes() const { return scalar.bytes_of(value_begin.back()); }
};

struct SymbolicOptions {
  AmalgamationOptions amalgamation;
  Index panel_width = Tuning{}.panel_width;
  bool refine_partition = true;
  Index workers = 1;  ///< threads; the result does not depend on them
  Index narrow_panel_width = Tuning{}.narrow_panel_width;
  Index ranks = 1;           ///< number of ranks that share L
  Index factor_workers = 1;  ///< CPU workers of all ranks that will factor; limits the panels
};

/// Computes the structure of L: elimination tree, postorder, column counts, fundamental supernodes,
/// relaxed amalgamation, column order inside supernodes, panels, and blocks. `ordering` maps the
/// merged vertices of the graph to the elimination order. The members of a merged vertex are
/// eliminated one after the other. The permutation of the result refines this order. Cost about
/// O(edges + rows of all supernodes).
SymbolicFactor symbolic_factorization(const CompressedGraph& graph, const Permutation& ordering,
                                      const SymbolicOptions& options);

/// Computes the structure for an ordering whose column counts are known.
SymbolicFactor symbolic_factorization(const CompressedGraph& graph, const Permutation& ordering,
                                      CountedOrder counted, const SymbolicOptions& options);

/// Computes only the sizes of the structure: the lists of rows and blocks stay empty. Columns
/// inside supernodes keep the elimination order. Cost O(n + s log s) for s fundamental supernodes.
SymbolicFactor symbolic_sizes(const CompressedGraph& graph, const Permutation& ordering,
                              const CountedOrder& counted, const SymbolicOptions& options);

/// Computes supernodes whose columns are known, without panels. In the elimination forest of
/// `order`, each supernode must be a path, and its last column must have the rows of all of them.
/// If `sizes_only` is true, computes only their sizes.
SymbolicFactor in_known_supernodes(const CompressedGraph& graph, const Permutation& ordering,
                                   EliminationOrder order, Supernodes supernodes, Index workers,
                                   bool sizes_only);

/// Replaces the panels and blocks of a structure, for other panel widths. Works like the last step
/// of symbolic_factorization() or symbolic_sizes(). Cost about O(rows of all panels).
void split_into_panels(SymbolicFactor& factor, const SymbolicOptions& options);

/// Throws std::logic_error with the first broken invariant of the structure.
void check(const SymbolicFactor& symbolic);

}  // namespace espalier::internal
