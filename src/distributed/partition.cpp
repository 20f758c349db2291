// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/partition.hpp"

#include <algorithm>
#include <utility>

#include "mapping/rank_work.hpp"
#include "solver/entry_map.hpp"
#include "symbolic/row_structure.hpp"

namespace espalier::internal {

namespace {

template <typename NewOf>
void renumber(std::vector<ColumnPair>& entries, NewOf new_of) {
  for (auto& [earlier, later] : entries) {
    const auto [low, high] = std::minmax({new_of(earlier), new_of(later)});
    earlier = low;
    later = high;
  }
}

/// Returns the entries of A, and the entries that make the columns of each pair have the same rows,
/// as they have in L. The columns of a pair are neighbours in one supernode, so only the later
/// column of an entry has to be replaced by its partner.
std::vector<ColumnPair> with_partners(std::span<const ColumnPair> entries,
                                      std::span<const Index> partner) {
  std::vector<ColumnPair> all(entries.begin(), entries.end());
  for (const auto& [earlier, later] : entries) {
    if (partner[later] != later) all.push_back({earlier, partner[later]});
  }
  return all;
}

/// Adds all shared columns as a single supernode after the others.
void add_shared(Supernodes& supernodes, Index columns) {
  supernodes.begin.push_back(supernodes.begin.back() + columns);
  supernodes.parent.push_back(-1);
  supernodes.width.push_back(columns);
  supernodes.height.push_back(columns);
}

}  // namespace

RankPart rank_part(DomainSizes domain, const SharedSizes& shared, std::vector<ColumnPair> entries,
                   Index rank, bool refine, Index workers) {
  Supernodes& supernodes = domain.supernodes;
  const Index own_supernodes = supernodes.count();
  const Index own = supernodes.begin.back();
  const auto local_number = [own](Index j) { return j < 0 ? own + ~j : j; };
  renumber(entries, local_number);
  add_shared(supernodes, shared.structure.n);
  std::vector<Index> partner = std::move(domain.partner);
  partner.insert(partner.end(), shared.partner.begin(), shared.partner.end());
  std::ranges::transform(partner, partner.begin(), local_number);
  std::vector<ColumnPair> paired;
  if (!partner.empty()) paired = with_partners(entries, partner);
  ForestRows rows =
      forest_rows(supernodes, own_supernodes, partner.empty() ? entries : paired, refine, workers);
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

RankDivision::RankDivision(const Whole& whole, Index ranks)
    : whole_(whole),
      top_(forest_top(whole.symbolic, whole.pattern, sizes_only_seconds(whole.symbolic, whole.cost),
                      ranks, whole.refine, whole.workers, whole.alone)),
      map_(map_to_ranks(top_.structure, top_.load, ranks, whole.mapping, whole.cells, whole.tiles,
                        whole.alone)),
      rank_(static_cast<std::size_t>(whole.pattern.n)),
      place_(static_cast<std::size_t>(whole.pattern.n)) {
  number_supernodes();
  number_columns();
  divide_shared();
  count_entries();
}

/// A supernode below the top belongs to the rank of the next supernode above it in the top.
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

void RankDivision::divide_shared() {
  shared_.structure = shared_structure(top_.structure, map_);
  for (Index& column : shared_.structure.column) {
    const Index ordered = top_.column[top_.renumbering.old_of[column]];
    const Index original = whole_.symbolic.permutation.old_of[ordered];
    rank_[original] = RankMap::shared;
    place_[original] = shared_place(static_cast<Index>(shared_.original.size()));
    shared_.original.push_back(original);
    column = top_.column[column];
  }
  shared_.partner = partners(shared_.original);
}

std::vector<Index> RankDivision::partners(std::span<const Index> original) const {
  const SymbolicFactor& symbolic = whole_.symbolic;
  const auto& [new_of, old_of] = symbolic.permutation;
  std::vector<Index> places;
  if (symbolic.partner.empty()) return places;
  for (const Index column : original) {
    places.push_back(place_[old_of[symbolic.partner[new_of[column]]]]);
  }
  return places;
}

void RankDivision::count_entries() {
  const PatternView& pattern = whole_.pattern;
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

DomainSizes RankDivision::domain(Index rank) const {
  const SymbolicFactor& symbolic = whole_.symbolic;
  const auto& panels = symbolic.panel_supernode;
  DomainSizes domain;
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
  domain.partner = partners(domain.original);
  return domain;
}

Load RankDivision::imbalance() const {
  std::vector<double> seconds;
  for (const Load& load : top_.load) seconds.push_back(load.seconds);
  return internal::imbalance(rank_loads(domain_loads(top_.load, map_), map_,
                                        SharedWork(top_.structure, seconds, map_, whole_.tiles)));
}

}  // namespace espalier::internal
