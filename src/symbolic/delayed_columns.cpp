// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/delayed_columns.hpp"

#include "symbolic/supernodes.hpp"

namespace espalier::internal {

namespace {

/// Returns the panel that is at most `levels` steps above p.
Index ancestor(std::span<const Index> parents, Index p, Index levels) {
  for (; parents[p] >= 0 && levels > 0; --levels) p = parents[p];
  return p;
}

}  // namespace

std::vector<Index> order_with_delays(const SymbolicFactor& symbolic,
                                     std::span<const std::uint8_t> marks, Index levels) {
  const std::vector<Index> parents =
      panel_parents(symbolic.panel_supernode, symbolic.supernode_parent);
  std::vector<std::vector<Index>> last(parents.size());
  std::vector<Index> order;
  order.reserve(static_cast<std::size_t>(symbolic.n));
  for (Index p = 0; p < symbolic.panels(); ++p) {
    const Index to = ancestor(parents, p, levels);
    for (Index j = symbolic.panel_begin[p]; j < symbolic.panel_begin[p + 1]; ++j) {
      if (marks[j] != 0 && to != p) {
        last[to].push_back(j);
      } else {
        order.push_back(j);
      }
    }
    order.insert(order.end(), last[p].begin(), last[p].end());
  }
  return order;
}

}  // namespace espalier::internal
