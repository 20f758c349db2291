// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/symbolic_factor.hpp"

#include <string>
#include <utility>

#include "espalier/error.hpp"
#include "symbolic/amalgamation.hpp"
#include "symbolic/block_structure.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/partition_refinement.hpp"
#include "symbolic/row_structure.hpp"
#include "symbolic/splitting.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier {

SymbolicFactor symbolic_factorization(const AdjacencyGraph& graph, const Permutation& ordering,
                                      const SymbolicOptions& options) {
  if (options.panel_width < 1) {
    throw UsageError("a panel width of " + std::to_string(options.panel_width) +
                     " was asked for: it must be at least 1");
  }
  const EliminationOrder order = elimination_order(graph, ordering);
  const Supernodes fundamental = fundamental_supernodes(order.parent, column_counts(order));
  Amalgamation amalgamation = amalgamate(fundamental, options.amalgamation);
  RowStructure rows = row_structure(order.graph, amalgamation);
  Permutation permutation = compose(order.permutation, amalgamation.renumbering);
  if (options.refine_partition) {
    permutation = compose(permutation, refine_partition(amalgamation.supernodes.begin, rows));
  }
  Panels panels = split(amalgamation.supernodes.begin, options.panel_width);

  SymbolicFactor factor;
  factor.n = graph.n;
  factor.permutation = std::move(permutation);
  factor.supernode_begin = std::move(amalgamation.supernodes.begin);
  factor.supernode_parent = std::move(amalgamation.supernodes.parent);
  factor.row_begin = std::move(rows.begin);
  factor.row = std::move(rows.row);
  factor.panel_begin = std::move(panels.begin);
  factor.panel_supernode = std::move(panels.supernode);
  add_blocks(factor);
  const OrderingCost cost = stored_cost(factor);
  factor.nnz_l = static_cast<Count>(cost.entries);
  factor.flops = cost.flops;
  return factor;
}

}  // namespace espalier
