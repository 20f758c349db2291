// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/delayed_columns.hpp"

#include <algorithm>

namespace espalier::internal {

namespace {

/// Returns the panel that is at most `levels` steps above p.
Index ancestor(const PanelStructure& structure, Index p, Index levels) {
  for (Index above = structure.parent(p); above >= 0 && levels > 0; --levels) {
    p = above;
    above = structure.parent(p);
  }
  return p;
}

}  // namespace

std::vector<Index> order_with_delays(const PanelStructure& structure,
                                     std::span<const std::uint8_t> marks, Index levels) {
  std::vector<std::vector<Index>> last(static_cast<std::size_t>(structure.panels()));
  std::vector<Index> order;
  order.reserve(static_cast<std::size_t>(structure.n));
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index to = ancestor(structure, p, levels);
    for (Index j = structure.panel_begin[p]; j < structure.panel_begin[p + 1]; ++j) {
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
