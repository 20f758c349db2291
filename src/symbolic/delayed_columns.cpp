// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/delayed_columns.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "ordering/adjacency.hpp"
#include "ordering/compression.hpp"
#include "symbolic/block_structure.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {

namespace {

/// Returns the panel that is at most `levels` steps above p.
Index ancestor(std::span<const Index> parents, Index p, Index levels) {
  for (; parents[p] >= 0 && levels > 0; --levels) p = parents[p];
  return p;
}

}  // namespace

DelayedOrder order_with_delays(const SymbolicFactor& symbolic, std::span<const std::uint8_t> marks,
                               Index levels) {
  const std::vector<Index> parents =
      panel_parents(symbolic.panel_supernode, symbolic.supernode_parent);
  std::vector<std::vector<Index>> last(parents.size());
  DelayedOrder order;
  order.column.reserve(static_cast<std::size_t>(symbolic.n));
  for (Index p = 0; p < symbolic.panels(); ++p) {
    const Index to = ancestor(parents, p, levels);
    for (Index j = symbolic.panel_begin[p]; j < symbolic.panel_begin[p + 1]; ++j) {
      (marks[j] != 0 && to != p ? last[to] : order.column).push_back(j);
    }
    order.column.insert(order.column.end(), last[p].begin(), last[p].end());
    order.panel.resize(order.column.size(), p);
  }
  return order;
}

namespace {

/// Returns the graph of A, plus edges between adjacent columns of each supernode. The elimination
/// tree then has each supernode as a path, and its last column has the rows of all its columns.
CompressedGraph with_paths(const PatternView& pattern, std::span<const Index> column,
                           std::span<const Index> supernode) {
  const AdjacencyGraph own = adjacency(pattern);
  std::vector<std::array<Index, 2>> beside(column.size(), {-1, -1});
  for (std::size_t k = 1; k < column.size(); ++k) {
    if (supernode[k] != supernode[k - 1]) continue;
    beside[column[k - 1]][1] = column[k];
    beside[column[k]][0] = column[k - 1];
  }
  AdjacencyGraph graph;
  graph.n = own.n;
  graph.neighbour.reserve(own.neighbour.size() + 2 * column.size());
  for (Index v = 0; v < own.n; ++v) {
    std::ranges::sort(beside[v]);
    const auto joined = std::span(beside[v]).subspan(std::ranges::count(beside[v], -1));
    std::ranges::set_union(own.of(v), joined, std::back_inserter(graph.neighbour));
    graph.begin.push_back(std::ssize(graph.neighbour));
  }
  return uncompressed(std::move(graph));
}

/// Returns the supernodes of vertices in postorder, given the supernode of each one.
Supernodes supernodes_of(const CountedOrder& counted, std::span<const Index> supernode) {
  const auto n = static_cast<Index>(supernode.size());
  Supernodes result;
  std::vector<Index> number(static_cast<std::size_t>(n));
  for (Index v = 0; v < n; ++v) {
    number[v] = static_cast<Index>(result.begin.size()) - 1;
    if (v + 1 < n && supernode[v + 1] == supernode[v]) continue;
    result.width.push_back(v + 1 - result.begin.back());
    result.height.push_back(result.width.back() + counted.count[v] - 1);
    result.begin.push_back(v + 1);
  }
  for (std::size_t s = 0; s < result.width.size(); ++s) {
    const Index above = counted.order.parent[result.begin[s + 1] - 1];
    result.parent.push_back(above < 0 ? -1 : number[above]);
  }
  return result;
}

/// Returns the panels of columns in the order of L, given the panel of each one.
Panels kept_panels(const SymbolicFactor& factor, std::span<const Index> panel) {
  Panels result;
  for (Index s = 0; s < factor.supernodes(); ++s) {
    for (Index k = factor.supernode_begin[s]; k < factor.supernode_begin[s + 1]; ++k) {
      if (k + 1 < factor.supernode_begin[s + 1] && panel[k + 1] == panel[k]) continue;
      result.begin.push_back(k + 1);
      result.supernode.push_back(s);
    }
  }
  return result;
}

/// Returns the elements in postorder.
std::vector<Index> in_postorder(std::span<const Index> values, const EliminationOrder& order) {
  std::vector<Index> result(values.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = values[order.postorder.old_of[k]];
  return result;
}

}  // namespace

SymbolicFactor reordered(const PatternView& pattern, const SymbolicFactor& symbolic,
                         const DelayedOrder& order, Index workers, bool sizes_only) {
  std::vector<Index> column(order.column.size());
  std::vector<Index> supernode(column.size());
  for (std::size_t k = 0; k < column.size(); ++k) {
    column[k] = symbolic.permutation.old_of[order.column[k]];
    supernode[k] = symbolic.panel_supernode[order.panel[k]];
  }
  const CompressedGraph graph = with_paths(pattern, column, supernode);
  const Permutation ordering = Permutation::from_old_of(std::move(column));
  CountedOrder counted = counted_order(graph, ordering, workers);
  const std::vector<Index> panel = in_postorder(order.panel, counted.order);
  Supernodes supernodes = supernodes_of(counted, in_postorder(supernode, counted.order));
  SymbolicFactor factor = in_known_supernodes(graph, ordering, std::move(counted.order),
                                              std::move(supernodes), workers, sizes_only);
  set_panels(factor, kept_panels(factor, panel), workers);
  return factor;
}

}  // namespace espalier::internal
