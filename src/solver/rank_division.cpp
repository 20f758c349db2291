// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_division.hpp"

#include <algorithm>
#include <utility>

#include "mapping/rank_work.hpp"

namespace espalier {

RankDivision::RankDivision(const Whole& whole, Index ranks)
    : whole_(whole),
      top_(forest_top(whole.symbolic, whole.pattern, outline_seconds(whole.symbolic, whole.cost),
                      ranks, whole.refine, whole.workers)),
      map_(map_to_ranks(top_.structure, top_.load, ranks, whole.mapping, whole.cells, whole.tiles)),
      rank_(static_cast<std::size_t>(whole.pattern.n)),
      place_(static_cast<std::size_t>(whole.pattern.n)) {
  number_supernodes();
  number_columns();
  outline_shared();
  count_entries();
}

/// What is not in the top goes where the next above goes that is.
void RankDivision::number_supernodes() {
  std::vector<Index> domain_of_top(static_cast<std::size_t>(top_.structure.supernodes()));
  for (Index p = 0; p < top_.structure.panels(); ++p) {
    domain_of_top[top_.structure.panel_supernode[p]] = map_.domain[p];
  }
  supernodes_.resize(static_cast<std::size_t>(map_.ranks));
  for (Index s = 0; s < whole_.symbolic.supernodes(); ++s) {
    const Index domain = domain_of_top[top_.place[s]];
    domain_of_.push_back(domain);
    if (domain == RankMap::shared) {
      number_.push_back(-1);
      continue;
    }
    number_.push_back(static_cast<Index>(supernodes_[domain].size()));
    supernodes_[domain].push_back(s);
  }
}

void RankDivision::number_columns() {
  const SymbolicFactor& symbolic = whole_.symbolic;
  for (Index rank = 0; rank < map_.ranks; ++rank) {
    Index next = 0;
    for (const Index s : supernodes_[rank]) {
      for (Index j = symbolic.supernode_begin[s]; j < symbolic.supernode_begin[s + 1]; ++j) {
        rank_[symbolic.permutation.old_of[j]] = rank;
        place_[symbolic.permutation.old_of[j]] = next++;
      }
    }
  }
}

void RankDivision::outline_shared() {
  shared_.structure = shared_structure(top_.structure, map_);
  for (Index& column : shared_.structure.column) {
    const Index ordered = top_.column[top_.renumbering.old_of[column]];
    const Index original = whole_.symbolic.permutation.old_of[ordered];
    rank_[original] = RankMap::shared;
    place_[original] = shared_place(static_cast<Index>(shared_.original.size()));
    shared_.original.push_back(original);
    column = top_.column[column];
  }
}

void RankDivision::count_entries() {
  const LowerPattern& pattern = whole_.pattern;
  entries_.assign(static_cast<std::size_t>(map_.ranks), 0);
  Count shared = 0;
  for (Index j = 0; j < pattern.n; ++j) {
    for (const Index row : pattern.column(j)) {
      const Index owner = entry_owner(rank_[row], rank_[j]);
      ++(owner == RankMap::shared ? shared : entries_[owner]);
    }
  }
  for (Count& entries : entries_) entries += shared;
}

DomainOutline RankDivision::domain(Index rank) const {
  const SymbolicFactor& symbolic = whole_.symbolic;
  const auto& panels = symbolic.panel_supernode;
  DomainOutline domain;
  domain.entries = entries_[rank];
  Supernodes& supernodes = domain.supernodes;
  for (const Index s : supernodes_[rank]) {
    const Index begin = symbolic.supernode_begin[s];
    const Index end = symbolic.supernode_begin[s + 1];
    const Index parent = symbolic.supernode_parent[s];
    supernodes.begin.push_back(supernodes.begin.back() + end - begin);
    supernodes.width.push_back(end - begin);
    supernodes.height.push_back(
        static_cast<Index>(symbolic.row_begin[s + 1] - symbolic.row_begin[s]));
    supernodes.parent.push_back(parent < 0 ? -1
                                : domain_of_[parent] == rank
                                    ? number_[parent]
                                    : static_cast<Index>(supernodes_[rank].size()));
    const auto [first, last] = std::equal_range(panels.begin(), panels.end(), s);
    for (auto p = first - panels.begin(); p < last - panels.begin(); ++p) {
      domain.panel_begin.push_back(domain.panel_begin.back() +
                                   symbolic.width(static_cast<Index>(p)));
      domain.panel_supernode.push_back(number_[s]);
    }
    for (Index j = begin; j < end; ++j) {
      domain.column.push_back(j);
      domain.original.push_back(symbolic.permutation.old_of[j]);
    }
  }
  return domain;
}

Load RankDivision::imbalance() const {
  std::vector<double> seconds;
  for (const Load& load : top_.load) seconds.push_back(load.seconds);
  return espalier::imbalance(
      rank_loads(domain_loads(top_.load, map_), map_,
                 SharedWork(top_.structure, seconds, map_.domain, whole_.tiles)));
}

}  // namespace espalier
