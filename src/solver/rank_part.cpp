// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_part.hpp"

#include <algorithm>
#include <utility>

#include "solver/entry_map.hpp"
#include "symbolic/forest_rows.hpp"

namespace espalier {

namespace {

template <typename NewOf>
void renumber(std::vector<ColumnPair>& entries, NewOf new_of) {
  for (auto& [earlier, later] : entries) {
    const auto [low, high] = std::minmax({new_of(earlier), new_of(later)});
    earlier = low;
    later = high;
  }
}

/// All shared columns as one supernode behind the others.
void add_shared(Supernodes& supernodes, Index columns) {
  supernodes.begin.push_back(supernodes.begin.back() + columns);
  supernodes.parent.push_back(-1);
  supernodes.width.push_back(columns);
  supernodes.height.push_back(columns);
}

}  // namespace

RankPart rank_part(DomainOutline domain, const SharedOutline& shared,
                   std::vector<ColumnPair> entries, Index rank, bool refine, Index workers) {
  Supernodes& supernodes = domain.supernodes;
  const Index own_supernodes = supernodes.count();
  const Index own = supernodes.begin.back();
  renumber(entries, [&](Index j) { return j < 0 ? own + ~j : j; });
  add_shared(supernodes, shared.structure.n);
  ForestRows rows = forest_rows(supernodes, own_supernodes, entries, refine, workers);
  renumber(entries, [&](Index j) { return j < own ? rows.renumbering.new_of[j] : j; });
  supernodes.begin.pop_back();

  RankPart part;
  for (const Index old : rows.renumbering.old_of) part.original.push_back(domain.original[old]);
  part.original.insert(part.original.end(), shared.original.begin(), shared.original.end());
  Domain made;
  made.structure.supernode_begin = std::move(supernodes.begin);
  made.structure.row_begin = std::move(rows.begin);
  made.structure.row = std::move(rows.row);
  made.structure.panel_begin = std::move(domain.panel_begin);
  made.structure.panel_supernode = std::move(domain.panel_supernode);
  made.column = std::move(domain.column);
  part.structure = local_structure(std::move(made), shared.structure, rank);
  part.entries = map_entries(entries, part.structure, workers);
  return part;
}

}  // namespace espalier
