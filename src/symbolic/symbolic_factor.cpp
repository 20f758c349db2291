// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/symbolic_factor.hpp"

#include <string>
#include <utility>

#include "espalier/error.hpp"
#include "symbolic/amalgamation.hpp"
#include "symbolic/block_structure.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/expansion.hpp"
#include "symbolic/partition_refinement.hpp"
#include "symbolic/row_structure.hpp"
#include "symbolic/splitting.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier {
namespace {

/// The vertices of the compressed graph in the order of L.
std::vector<Index> final_order(const Permutation& ordering, const EliminationOrder& order,
                               const Permutation& amalgamated, const Permutation& refined) {
  std::vector<Index> vertex_at;
  vertex_at.reserve(refined.old_of.size());
  for (const Index i : refined.old_of) {
    vertex_at.push_back(ordering.old_of[order.postorder.old_of[amalgamated.old_of[i]]]);
  }
  return vertex_at;
}

void add_supernodes(SymbolicFactor& factor, Supernodes supernodes) {
  factor.supernode_begin.reserve(supernodes.begin.size());
  for (const Index width : supernodes.width) {
    factor.supernode_begin.push_back(factor.supernode_begin.back() + width);
  }
  factor.supernode_parent = std::move(supernodes.parent);
}

void add_panels(SymbolicFactor& factor, const SymbolicOptions& options) {
  Panels panels = split(factor.supernode_begin, options.panel_width);
  factor.panel_begin = std::move(panels.begin);
  factor.panel_supernode = std::move(panels.supernode);
  add_blocks(factor);
}

}  // namespace

SymbolicFactor symbolic_factorization(const CompressedGraph& graph, const Permutation& ordering,
                                      const SymbolicOptions& options) {
  if (options.panel_width < 1) {
    throw UsageError("a panel width of " + std::to_string(options.panel_width) +
                     " was asked for: it must be at least 1");
  }
  EliminationOrder order = elimination_order(graph, ordering, options.workers);
  Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight),
                 options.amalgamation);
  RowStructure rows = row_structure(order, amalgamation);
  order.graph = {};
  const Supernodes& supernodes = amalgamation.supernodes;
  const Permutation refined = options.refine_partition
                                  ? refine_partition(supernodes.begin, rows, options.workers)
                                  : Permutation::identity(order.postorder.size());
  ColumnNumbering numbering =
      number_columns(graph, final_order(ordering, order, amalgamation.renumbering, refined));
  expand_rows(supernodes, numbering.column_begin, rows, options.workers);

  SymbolicFactor factor;
  factor.n = numbering.permutation.size();
  factor.permutation = std::move(numbering.permutation);
  factor.row_begin = std::move(rows.begin);
  factor.row = std::move(rows.row);
  add_supernodes(factor, std::move(amalgamation.supernodes));
  add_panels(factor, options);
  const OrderingCost cost = stored_cost(factor);
  factor.nnz_l = static_cast<Count>(cost.entries);
  factor.flops = cost.flops;
  return factor;
}

namespace {

CompressedGraph every_vertex_alone(const AdjacencyGraph& graph) {
  CompressedGraph result;
  result.graph = graph;
  result.weight.assign(graph.n, 1);
  result.member = Permutation::identity(graph.n).old_of;
  for (Index v = 1; v <= graph.n; ++v) result.member_begin.push_back(v);
  return result;
}

}  // namespace

SymbolicFactor symbolic_factorization(const AdjacencyGraph& graph, const Permutation& ordering,
                                      const SymbolicOptions& options) {
  return symbolic_factorization(every_vertex_alone(graph), ordering, options);
}

OrderingCost predict_cost(const AdjacencyGraph& graph, const Permutation& ordering) {
  return predict_cost(every_vertex_alone(graph), ordering);
}

}  // namespace espalier
