// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_forest.hpp"

#include <numeric>
#include <utility>

namespace espalier::internal {

std::vector<double> seconds_of(std::span<const Load> loads) {
  std::vector<double> seconds;
  seconds.reserve(loads.size());
  for (const Load& load : loads) seconds.push_back(load.seconds);
  return seconds;
}

Forest make_forest(const PanelStructure& structure, std::span<const double> seconds) {
  Forest forest;
  forest.parent = supernode_parents(structure);
  const Index supernodes = forest.size();
  forest.own.assign(supernodes, 0);
  for (Index p = 0; p < structure.panels(); ++p) {
    forest.own[structure.panel_supernode[p]] += seconds[p];
  }
  forest.subtree = forest.own;
  forest.child_begin.assign(supernodes + 1, 0);
  for (Index s = 0; s < supernodes; ++s) {
    const Index parent = forest.parent[s];
    if (parent < 0) {
      forest.root.push_back(s);
    } else {
      forest.subtree[parent] += forest.subtree[s];
      ++forest.child_begin[parent + 1];
    }
  }
  std::partial_sum(forest.child_begin.begin(), forest.child_begin.end(),
                   forest.child_begin.begin());
  forest.child.resize(forest.child_begin.back());
  std::vector<Index> next(forest.child_begin.begin(), forest.child_begin.end() - 1);
  for (Index s = 0; s < supernodes; ++s) {
    if (forest.parent[s] >= 0) forest.child[next[forest.parent[s]]++] = s;
  }
  return forest;
}

RankMap map_of_panels(const PanelStructure& structure, const Forest& forest, Index ranks,
                      std::vector<Index> domain, const std::vector<RankGrid>& grid) {
  for (Index s = forest.size() - 1; s >= 0; --s) {
    if (domain[s] == undecided) domain[s] = domain[forest.parent[s]];
  }
  RankMap map;
  map.ranks = ranks;
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index s = structure.panel_supernode[p];
    map.domain.push_back(domain[s]);
    if (domain[s] == RankMap::shared) map.grid.push_back(grid[s]);
  }
  return map;
}

std::vector<Index> supernode_parents(const PanelStructure& structure) {
  std::vector<Index> parent(structure.supernodes(), -1);
  for (Index p = 0; p < structure.panels(); ++p) {
    const Index above = structure.parent(p);
    const Index s = structure.panel_supernode[p];
    if (above >= 0 && structure.panel_supernode[above] != s) {
      parent[s] = structure.panel_supernode[above];
    }
  }
  return parent;
}

}  // namespace espalier::internal
