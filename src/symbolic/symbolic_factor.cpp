// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/symbolic_factor.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/parallel.hpp"
#include "espalier/error.hpp"
#include "symbolic/block_structure.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/partition_refinement.hpp"
#include "symbolic/row_structure.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {
namespace {

/// Returns the vertices of the compressed graph in the order of L.
std::vector<Index> final_order(const Permutation& ordering, const EliminationOrder& order,
                               const Permutation& amalgamated, const Permutation& refined,
                               Index workers) {
  constexpr Index vertices_a_task = 10'000;
  std::vector<Index> vertex_at(refined.old_of.size());
  parallel_ranges(order.size(), vertices_a_task, workers, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index eliminated = order.postorder.old_of[amalgamated.old_of[refined.old_of[i]]];
      vertex_at[i] = ordering.old_of[eliminated];
    }
  });
  return vertex_at;
}

void expect_panel_width(const SymbolicOptions& options) {
  if (options.panel_width >= 1) return;
  throw UsageError("a panel width of " + std::to_string(options.panel_width) +
                   " was asked for: it must be at least 1");
}

/// Returns the maximum number of operations of D and F of a panel. No other task can run together
/// with D and F of the last panels. Therefore wide panels would make small problems wait for one
/// worker (experiment `panel-flops` in docs/experiments.md).
double most_flops(const SymbolicFactor& factor, const SymbolicOptions& options) {
  constexpr double share = 1.0 / 32;
  constexpr double share_of_worker = 1.0 / 5;
  return factor.flops * std::min(share, share_of_worker / options.factor_workers);
}

/// Returns the maximum number of entries of a panel. A rank needs memory for the tiles of at least
/// one panel of other ranks in addition to its part of L.
double most_entries(const SymbolicFactor& factor, const SymbolicOptions& options) {
  constexpr double share = 1.0 / 9;
  if (options.ranks == 1) return std::numeric_limits<double>::max();
  return share * static_cast<double>(factor.nnz_l) / options.ranks;
}

Panels panels_of(const SymbolicFactor& factor, const SymbolicOptions& options) {
  return split(factor.supernode_begin,
               widest_panels(factor, most_flops(factor, options), options.panel_width,
                             options.narrow_panel_width, most_entries(factor, options)),
               factor.partner);
}

/// Returns the partners of columns in another numbering.
std::vector<Index> renumbered(const std::vector<Index>& partner, const Permutation& permutation) {
  std::vector<Index> result(partner.size());
  for (std::size_t v = 0; v < partner.size(); ++v) {
    result[permutation.new_of[v]] = permutation.new_of[partner[v]];
  }
  return result;
}

/// Returns the sizes of supernodes.
SymbolicFactor sizes_of(const CompressedGraph& graph, ColumnNumbering numbering,
                        Supernodes supernodes) {
  SymbolicFactor factor;
  factor.partner = renumbered(graph.matched.partner, numbering.permutation);
  factor.n = numbering.permutation.size();
  factor.permutation = std::move(numbering.permutation);
  factor.supernode_begin.reserve(supernodes.begin.size());
  factor.row_begin.reserve(supernodes.begin.size());
  for (Index s = 0; s < supernodes.count(); ++s) {
    factor.supernode_begin.push_back(factor.supernode_begin.back() + supernodes.width[s]);
    factor.row_begin.push_back(factor.row_begin.back() + supernodes.height[s]);
  }
  factor.supernode_parent = std::move(supernodes.parent);
  const OrderingCost cost = stored_cost(factor);
  factor.nnz_l = static_cast<Count>(cost.entries);
  factor.flops = cost.flops;
  return factor;
}

/// Returns the supernodes with their rows, but without panels.
SymbolicFactor rows_of(const CompressedGraph& graph, const Permutation& ordering,
                       EliminationOrder order, Amalgamation amalgamation, bool refine,
                       Index workers) {
  RowStructure rows = row_structure(order, amalgamation, workers);
  order.graph = {};
  const Supernodes& supernodes = amalgamation.supernodes;
  const Permutation refined = refine ? refine_partition(supernodes.begin, rows, workers)
                                     : Permutation::identity(order.postorder.size());
  ColumnNumbering numbering = number_columns(
      graph, final_order(ordering, order, amalgamation.renumbering, refined, workers), workers);
  expand_rows(supernodes, numbering.column_begin, rows, workers);
  SymbolicFactor factor = sizes_of(graph, std::move(numbering), std::move(amalgamation.supernodes));
  factor.row = std::move(rows.row);
  return factor;
}

/// Returns the sizes of supernodes for an ordering.
SymbolicFactor sizes_of(const CompressedGraph& graph, const Permutation& ordering,
                        const EliminationOrder& order, Amalgamation amalgamation, Index workers) {
  const std::vector<Index> vertex_at = final_order(ordering, order, amalgamation.renumbering,
                                                   Permutation::identity(order.size()), workers);
  return sizes_of(graph, number_columns(graph, vertex_at, workers),
                  std::move(amalgamation.supernodes));
}

Amalgamation amalgamated(const CountedOrder& counted, const AmalgamationOptions& options,
                         Index workers) {
  const EliminationOrder& order = counted.order;
  return amalgamate(fundamental_supernodes(order.parent, counted.count, order.weight), options,
                    workers);
}

}  // namespace

SymbolicFactor symbolic_factorization(const CompressedGraph& graph, const Permutation& ordering,
                                      const SymbolicOptions& options) {
  return symbolic_factorization(graph, ordering, counted_order(graph, ordering, options.workers),
                                options);
}

SymbolicFactor symbolic_factorization(const CompressedGraph& graph, const Permutation& ordering,
                                      CountedOrder counted, const SymbolicOptions& options) {
  expect_panel_width(options);
  Amalgamation amalgamation = amalgamated(counted, options.amalgamation, options.workers);
  SymbolicFactor factor =
      rows_of(graph, ordering, std::move(counted.order), std::move(amalgamation),
              options.refine_partition, options.workers);
  split_into_panels(factor, options);
  return factor;
}

SymbolicFactor symbolic_sizes(const CompressedGraph& graph, const Permutation& ordering,
                              const CountedOrder& counted, const SymbolicOptions& options) {
  expect_panel_width(options);
  SymbolicFactor factor =
      sizes_of(graph, ordering, counted.order,
               amalgamated(counted, options.amalgamation, options.workers), options.workers);
  split_into_panels(factor, options);
  return factor;
}

SymbolicFactor in_known_supernodes(const CompressedGraph& graph, const Permutation& ordering,
                                   EliminationOrder order, Supernodes supernodes, Index workers,
                                   bool sizes_only) {
  Amalgamation own{std::move(supernodes), Permutation::identity(order.size())};
  if (sizes_only) return sizes_of(graph, ordering, order, std::move(own), workers);
  return rows_of(graph, ordering, std::move(order), std::move(own), false, workers);
}

void split_into_panels(SymbolicFactor& factor, const SymbolicOptions& options) {
  set_panels(factor, panels_of(factor, options), options.workers);
}

}  // namespace espalier::internal
