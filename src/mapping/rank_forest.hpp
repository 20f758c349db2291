// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/rank_map.hpp"

namespace espalier::internal {

/// The forest of supernodes with its work.
struct Forest {
  std::vector<Index> parent;
  std::vector<Index> child_begin{0};  ///< children of s: child[child_begin[s]..child_begin[s+1])
  std::vector<Index> child;
  std::vector<Index> root;
  std::vector<double> own;      ///< seconds of each supernode
  std::vector<double> subtree;  ///< seconds of each supernode and all supernodes below it

  std::span<const Index> children(Index s) const {
    return {child.data() + child_begin[s], child.data() + child_begin[s + 1]};
  }
  Index size() const { return static_cast<Index>(parent.size()); }
};

/// Returns the seconds of each load.
std::vector<double> seconds_of(std::span<const Load> loads);

/// Returns the forest of a structure. `seconds` has the seconds of each panel. Cost O(panels).
Forest make_forest(const PanelStructure& structure, std::span<const double> seconds);

/// Marks a supernode that goes to the rank of its parent.
constexpr Index undecided = -2;

/// Returns the map for these domains: each decided supernode has a rank, or `shared` and a grid.
/// Undecided supernodes go to the rank of their parent.
RankMap map_of_panels(const PanelStructure& structure, const Forest& forest, Index ranks,
                      std::vector<Index> domain, const std::vector<RankGrid>& grid);

}  // namespace espalier::internal
