// SPDX-License-Identifier: BSD-3-Clause

#include "mapping/local_structure.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "symbolic/block_structure.hpp"
#include "symbolic/structure_check.hpp"

namespace espalier::internal {

namespace {

class Restriction {
 public:
  Restriction(const PanelStructure& whole, const RankMap& map)
      : whole_(whole), map_(map), local_of_(whole.n, -1) {
    local_.ranks = map.ranks;
    local_.grid = map.grid;
  }

  LocalStructure make() {
    number_columns();
    local_.n = static_cast<Index>(local_.column.size());
    add_rows();
    add_boundaries();
    return std::move(local_);
  }

 private:
  void number_columns() {
    for (Index p = 0; p < whole_.panels(); ++p) {
      if (map_.domain[p] != RankMap::shared) continue;
      const Index s = whole_.panel_supernode[p];
      const bool first = whole_.panel_begin[p] == whole_.supernode_begin[s];
      if (first) {
        supernode_.push_back(s);
        local_.supernode_begin.push_back(local_.supernode_begin.back());
      }
      for (Index j = whole_.panel_begin[p]; j < whole_.panel_begin[p + 1]; ++j) {
        local_of_[j] = static_cast<Index>(local_.column.size());
        local_.column.push_back(j);
      }
      local_.supernode_begin.back() = static_cast<Index>(local_.column.size());
      local_.panel_begin.push_back(local_.supernode_begin.back());
      local_.panel_supernode.push_back(static_cast<Index>(supernode_.size()) - 1);
    }
  }

  void add_rows() {
    for (const Index s : supernode_) {
      for (Count k = whole_.row_begin[s]; k < whole_.row_begin[s + 1]; ++k) {
        local_.row.push_back(local_of_[whole_.row[k]]);
      }
      local_.row_begin.push_back(static_cast<Count>(local_.row.size()));
    }
  }

  /// Adds the shared rows below the root of each subtree of a domain, each different set of rows
  /// once per rank.
  void add_boundaries() {
    std::map<std::vector<Index>, std::vector<Index>> ranks_of;
    for (Index p = 0; p < whole_.panels(); ++p) {
      const Index above = whole_.parent(p);
      if (map_.domain[p] == RankMap::shared || above < 0) continue;
      if (map_.domain[above] != RankMap::shared) continue;
      std::vector<Index> outside;
      for (const Index row : whole_.rows(p).subspan(whole_.width(p))) {
        outside.push_back(local_of_[row]);
      }
      ranks_of[std::move(outside)].push_back(map_.domain[p]);
    }
    std::vector<std::pair<Index, const std::vector<Index>*>> found;
    for (auto& [rows, ranks] : ranks_of) {
      std::sort(ranks.begin(), ranks.end());
      ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
      for (const Index rank : ranks) found.emplace_back(rank, &rows);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [rank, rows] : found) {
      const auto begin = static_cast<Count>(local_.boundary_row.size());
      local_.boundary_row.insert(local_.boundary_row.end(), rows->begin(), rows->end());
      local_.boundary.push_back({rank, begin, static_cast<Count>(local_.boundary_row.size())});
    }
  }

  const PanelStructure& whole_;
  const RankMap& map_;
  std::vector<Index> local_of_;
  std::vector<Index> supernode_;  ///< for each local supernode, its number in the whole
  LocalStructure local_;
};

void check_domain_and_shared(const LocalStructure& local) {
  const Index panels = local.panels();
  expect(local.shared_begin >= 0 && local.shared_begin <= panels, "the shared panels begin at ",
         local.shared_begin, " of ", panels);
  expect(local.shared_begin + static_cast<Index>(local.grid.size()) == panels, "there are ",
         local.grid.size(), " grids for the panels from ", local.shared_begin, " to ", panels);
  for (const RankGrid& grid : local.grid) {
    expect(grid.first >= 0 && grid.size() > 0 && grid.first + grid.size() <= local.ranks,
           "a grid has the ranks from ", grid.first, " to ", grid.first + grid.size(), " of ",
           local.ranks);
    expect(grid.shift >= 0 && grid.shift < grid.size(), "a grid of ", grid.size(),
           " ranks is shifted by ", grid.shift);
  }
  expect(local.column.size() == static_cast<std::size_t>(local.n), "there are ",
         local.column.size(), " numbers of ", local.n, " columns");
  for (Index j = 1; j < local.n; ++j) {
    expect(j == local.own_columns() || local.column[j] > local.column[j - 1], "column ", j, " is ",
           local.column[j], " of L, after ", local.column[j - 1]);
  }
  expect(local.value_begin[local.shared_begin] == local.value_begin.back(),
         "shared panels have values in the array of L");
}

void check_boundaries(const LocalStructure& local) {
  Count end = 0;
  Index rank = 0;
  for (const LocalStructure::Boundary& boundary : local.boundary) {
    expect(boundary.begin == end && boundary.end > end, "a boundary has the rows from ",
           boundary.begin, " to ", boundary.end, " after ", end);
    expect(boundary.rank >= rank && boundary.rank < local.ranks, "a boundary is of rank ",
           boundary.rank, ", after ", rank, " of ", local.ranks);
    end = boundary.end;
    rank = boundary.rank;
    Index previous = local.own_columns() - 1;
    for (const Index row : local.rows_of(boundary)) {
      expect(row > previous && row < local.n, "a boundary has row ", row, " of ", local.n,
             " after ", previous);
      previous = row;
    }
  }
  expect(end == static_cast<Count>(local.boundary_row.size()), "boundaries end at ", end, " of ",
         local.boundary_row.size(), " rows");
}

}  // namespace

Ownership sole_ownership(const PanelStructure& structure) {
  Ownership sole;
  sole.shared_begin = structure.panels();
  return sole;
}

LocalStructure shared_structure(const PanelStructure& whole, const RankMap& map) {
  return Restriction(whole, map).make();
}

LocalStructure local_structure(Domain domain, const LocalStructure& shared, Index rank) {
  LocalStructure local;
  static_cast<PanelStructure&>(local) = std::move(domain.structure);
  local.rank = rank;
  local.ranks = shared.ranks;
  local.shared_begin = local.panels();
  local.grid = shared.grid;
  local.boundary = shared.boundary;
  local.column = std::move(domain.column);
  local.column.insert(local.column.end(), shared.column.begin(), shared.column.end());
  local.n = static_cast<Index>(local.column.size());
  const auto append = [](auto& list, const auto& more, auto offset, std::size_t first) {
    list.reserve(list.size() + more.size() - first);
    for (std::size_t k = first; k < more.size(); ++k) list.push_back(more[k] + offset);
  };
  const Index columns = local.n - shared.n;
  append(local.panel_supernode, shared.panel_supernode, local.supernodes(), 0);
  append(local.supernode_begin, shared.supernode_begin, columns, 1);
  append(local.panel_begin, shared.panel_begin, columns, 1);
  append(local.row_begin, shared.row_begin, local.row_begin.back(), 1);
  append(local.row, shared.row, columns, 0);
  append(local.boundary_row, shared.boundary_row, columns, 0);
  add_blocks(local);
  return local;
}

void add_blocks(LocalStructure& local) {
  add_blocks(static_cast<PanelStructure&>(local));
  const auto shared = local.value_begin.begin() + local.shared_begin;
  std::fill(shared, local.value_begin.end(), *shared);
}

void check(const LocalStructure& local) {
  check_supernodes(local, static_cast<std::size_t>(local.supernodes()));
  check_panels(local);
  check_tree(local, supernode_parents(local));
  check_domain_and_shared(local);
  check_boundaries(local);
}

SubtreeCut cut_domain(const PartView& part, std::vector<double> seconds, double limit,
                      std::span<const double> path) {
  std::fill(seconds.begin() + part.ownership.shared_begin, seconds.end(),
            std::numeric_limits<double>::infinity());
  return cut_subtrees(part.structure, seconds, limit, path);
}

}  // namespace espalier::internal
