// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_work.hpp"

#include <algorithm>

#include "base/dense.hpp"

namespace espalier::internal {

namespace {

/// Returns the number of each panel among the shared panels, or -1 for other panels.
std::vector<Index> shared_numbers(const std::vector<Index>& domain) {
  std::vector<Index> number(domain.size(), -1);
  Index next = 0;
  for (std::size_t p = 0; p < number.size(); ++p) {
    if (domain[p] == RankMap::shared) number[p] = next++;
  }
  return number;
}

double block_rows(const PanelStructure& structure, Index panel, Count block) {
  return structure.block_end(panel, block) - structure.block[block].row_offset;
}

}  // namespace

struct SharedWork::Counting {
  const PanelStructure& structure;
  const std::vector<RankGrid>& grid;
  const std::vector<Index>& number;  ///< shared panel of each panel
  std::vector<double> flops;         ///< flops of each block for the panel that add_panel() adds
};

SharedWork::SharedWork(const PanelStructure& structure, std::span<const double> seconds,
                       const RankMap& map, const TileLimits& tiles) {
  const std::vector<Index> number = shared_numbers(map.domain);
  if (map.computes_elsewhere()) seconds_of_updaters_.assign(map.ranks, 0);
  for (Index p = 0; p < structure.panels(); ++p) {
    if (number[p] < 0) continue;
    for (Count b = structure.block_begin[p]; b < structure.block_begin[p + 1]; ++b) {
      row_.push_back(number[structure.block[b].facing]);
      const double beside = b == structure.block_begin[p] ? entries_beside_column : 0;
      load_.push_back({0, (block_rows(structure, p, b) + beside) * structure.width(p)});
    }
    for_each_tile(structure, p, tiles, [&](Count begin, Count end) {
      tile_row_.insert(tile_row_.end(), static_cast<std::size_t>(end - begin),
                       number[structure.block[begin].facing]);
    });
    begin_.push_back(static_cast<Count>(row_.size()));
    const bool first = p == 0 || structure.panel_supernode[p - 1] != structure.panel_supernode[p];
    if (first) supernode_begin.push_back(number[p]);
    supernode_begin.back() = number[p] + 1;
  }
  Counting counting{structure, map.grid, number, std::vector<double>(row_.size())};
  for (Index p = 0; p < structure.panels(); ++p) {
    if (number[p] >= 0) add_panel(counting, p, seconds[p]);
  }
}

void SharedWork::add_panel(Counting& counting, Index panel, double seconds) {
  const PanelStructure& structure = counting.structure;
  const std::vector<Index>& number = counting.number;
  std::vector<double>& flops_of = counting.flops;
  const double width = structure.width(panel);
  const Count begin = structure.block_begin[panel];
  const Count end = structure.block_begin[panel + 1];
  const Count own = begin_[number[panel]];
  double sum = flops_of[own] = flops::potrf(width);
  std::vector<Touched> touched{{own, number[panel]}};
  const auto note = [&](Count block, Index column, double flops) {
    flops_of[block] += flops;
    sum += flops;
    touched.push_back({block, column});
  };
  for (Count k = begin + 1; k < end; ++k) {
    const Index column = number[structure.block[k].facing];
    const double columns = block_rows(structure, panel, k);
    note(own + (k - begin), number[panel], flops::trsm(columns, width));
    Count at = begin_[column];
    note(at, column, flops::syrk(columns, width));
    for (Count i = k + 1; i < end; ++i) {
      at = find(number[structure.block[i].facing], column, at);
      note(at, column, flops::gemm(block_rows(structure, panel, i), columns, width));
    }
  }
  for (const Touched& one : touched) {
    add_seconds(counting.grid, number[panel], one, seconds * flops_of[one.block] / sum);
    flops_of[one.block] = 0;
  }
}

void SharedWork::add_seconds(const std::vector<RankGrid>& grid, Index source,
                             const Touched& touched, double seconds) {
  const auto [block, column] = touched;
  load_[block].seconds += seconds;
  if (seconds_of_updaters_.empty()) return;
  seconds_of_updaters_[updater(grid, source, tile_row_[block], column)] += seconds;
}

Count SharedWork::find(Index row, Index column, Count from) const {
  const auto end = row_.begin() + begin_[column + 1];
  return std::lower_bound(row_.begin() + from, end, row) - row_.begin();
}

double SharedWork::supernode_seconds(Index supernode) const {
  double sum = 0;
  const Count end = begin_[supernode_begin[supernode + 1]];
  for (Count b = begin_[supernode_begin[supernode]]; b < end; ++b) sum += load_[b].seconds;
  return sum;
}

std::vector<Load> SharedWork::cell_loads(Index supernode, const BlockGrid& cells) const {
  std::vector<Load> sum(cells.size());
  for (Index k = supernode_begin[supernode]; k < supernode_begin[supernode + 1]; ++k) {
    for_each_block(k, [&](Index row, Index column, const Load& load) {
      sum[owner_of_block(cells, row, column)] += load;
    });
  }
  return sum;
}

std::vector<Load> panel_loads(const PanelStructure& structure, std::span<const double> seconds) {
  std::vector<Load> loads;
  loads.reserve(seconds.size());
  for (Index p = 0; p < structure.panels(); ++p) {
    const double width = structure.width(p);
    loads.push_back({seconds[p], width * (structure.height(p) + entries_beside_column)});
  }
  return loads;
}

std::vector<Load> domain_loads(std::span<const Load> of_panels, const RankMap& map) {
  std::vector<Load> loads(map.ranks);
  for (std::size_t p = 0; p < of_panels.size(); ++p) {
    if (map.domain[p] != RankMap::shared) loads[map.domain[p]] += of_panels[p];
  }
  return loads;
}

std::vector<Load> rank_loads(std::vector<Load> of_domains, const RankMap& map,
                             const SharedWork& shared) {
  const bool elsewhere = map.computes_elsewhere();
  for (Index k = 0; k < static_cast<Index>(map.grid.size()); ++k) {
    const RankGrid& grid = map.grid[k];
    shared.for_each_block(k, [&](Index row, Index column, const Load& load) {
      of_domains[grid.rank(row, column)] += Load{elsewhere ? 0 : load.seconds, load.entries};
    });
  }
  const std::vector<double>& updaters = shared.seconds_of_updaters();
  for (std::size_t r = 0; r < updaters.size(); ++r) of_domains[r].seconds += updaters[r];
  return of_domains;
}

Load imbalance(const std::vector<Load>& of_ranks) {
  Load sum;
  Load most;
  for (const Load& load : of_ranks) {
    sum += load;
    most = {std::max(most.seconds, load.seconds), std::max(most.entries, load.entries)};
  }
  const auto over_mean = [&](double most_of_one, double of_all) {
    return of_all > 0 ? most_of_one * static_cast<double>(of_ranks.size()) / of_all : 1;
  };
  return {over_mean(most.seconds, sum.seconds), over_mean(most.entries, sum.entries)};
}

}  // namespace espalier::internal
