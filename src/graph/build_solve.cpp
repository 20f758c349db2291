// SPDX-License-Identifier: BSD-3-Clause
#include "graph/solve_tree.hpp"

namespace espalier {

namespace {

/// One past the last panel of the node that begins with panel p.
Index node_end(const PanelStructure& structure, const SubtreeCut& cut, Index p) {
  if (cut.group_of[p] >= 0) return cut.groups[cut.group_of[p]].panel_end;
  Index end = p + 1;
  while (end < structure.panels() &&
         structure.panel_supernode[end] == structure.panel_supernode[p]) {
    ++end;
  }
  return end;
}

std::span<const Index> rows_outside(const PanelStructure& structure, const SubtreeCut& cut,
                                    Index begin, Index end) {
  if (cut.group_of[begin] >= 0) return cut.external_rows(cut.groups[cut.group_of[begin]]);
  return structure.rows(end - 1).subspan(structure.width(end - 1));
}

}  // namespace

SolveTree build_solve_tree(const PanelStructure& structure, const SubtreeCut& cut) {
  SolveTree tree;
  std::vector<Index> node_of_column(structure.n);
  for (Index p = 0; p < structure.panels();) {
    const Index end = node_end(structure, cut, p);
    const Index first = structure.panel_begin[p];
    const Index last = structure.panel_begin[end];
    const auto entries = static_cast<double>(structure.value_begin[end] - structure.value_begin[p]);
    for (Index c = first; c < last; ++c) node_of_column[c] = static_cast<Index>(tree.node.size());
    tree.node.push_back({p, end, -1, rows_outside(structure, cut, p, end), last - first, entries});
    p = end;
  }
  for (auto& node : tree.node) {
    if (!node.external_rows.empty()) node.parent = node_of_column[node.external_rows.front()];
  }
  return tree;
}

}  // namespace espalier
