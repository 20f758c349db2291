// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_work.hpp"

#include "base/flops.hpp"

namespace espalier {

namespace {

/// Number of each panel among the shared ones; -1 for the others.
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

SharedWork::SharedWork(const PanelStructure& structure, std::span<const double> seconds,
                       const std::vector<Index>& domain) {
  const std::vector<Index> number = shared_numbers(domain);
  for (Index p = 0; p < structure.panels(); ++p) {
    if (number[p] < 0) continue;
    for (const Block& block : structure.blocks(p)) row_.push_back(number[block.facing]);
    begin_.push_back(static_cast<Count>(row_.size()));
    const bool first = p == 0 || structure.panel_supernode[p - 1] != structure.panel_supernode[p];
    if (first) supernode_begin.push_back(number[p]);
    supernode_begin.back() = number[p] + 1;
  }
  seconds_.assign(row_.size(), 0);
  flops_.assign(row_.size(), 0);
  for (Index p = 0; p < structure.panels(); ++p) {
    if (number[p] >= 0) add_panel(structure, p, seconds[p], number);
  }
}

void SharedWork::add_panel(const PanelStructure& structure, Index panel, double seconds,
                           const std::vector<Index>& number) {
  const double width = structure.width(panel);
  const Count begin = structure.block_begin[panel];
  const Count end = structure.block_begin[panel + 1];
  const Count own = begin_[number[panel]];
  double sum = flops_[own] = flops::potrf(width);
  std::vector<Count> touched{own};
  const auto note = [&](Count block, double flops) {
    flops_[block] += flops;
    sum += flops;
    touched.push_back(block);
  };
  for (Count k = begin + 1; k < end; ++k) {
    const Index column = number[structure.block[k].facing];
    const double columns = block_rows(structure, panel, k);
    note(own + (k - begin), flops::trsm(columns, width));
    Count at = begin_[column];
    note(at, flops::syrk(columns, width));
    for (Count i = k + 1; i < end; ++i) {
      at = find(number[structure.block[i].facing], column, at);
      note(at, flops::gemm(block_rows(structure, panel, i), columns, width));
    }
  }
  for (const Count block : touched) {
    seconds_[block] += seconds * flops_[block] / sum;
    flops_[block] = 0;
  }
}

Count SharedWork::find(Index row, Index column, Count from) const {
  const auto end = row_.begin() + begin_[column + 1];
  return std::lower_bound(row_.begin() + from, end, row) - row_.begin();
}

double SharedWork::supernode_seconds(Index supernode) const {
  const Count begin = begin_[supernode_begin[supernode]];
  const Count end = begin_[supernode_begin[supernode + 1]];
  return std::accumulate(seconds_.begin() + begin, seconds_.begin() + end, 0.0);
}

std::vector<double> SharedWork::cell_seconds(Index supernode, const BlockGrid& cells) const {
  std::vector<double> sum(cells.size(), 0.0);
  for (Index k = supernode_begin[supernode]; k < supernode_begin[supernode + 1]; ++k) {
    for_each_block(k, [&](Index row, Index column, double seconds) {
      sum[owner_of_block(cells, row, column)] += seconds;
    });
  }
  return sum;
}

std::vector<double> rank_seconds(const PanelStructure& structure, std::span<const double> seconds,
                                 const RankMap& map) {
  return rank_seconds(seconds, map, SharedWork(structure, seconds, map.domain));
}

std::vector<double> rank_seconds(std::span<const double> seconds, const RankMap& map,
                                 const SharedWork& shared) {
  std::vector<double> work = domain_seconds(seconds, map);
  for (Index k = 0; k < static_cast<Index>(map.grid.size()); ++k) {
    shared.for_each_block(k, [&](Index row, Index column, double of_block) {
      work[map.grid[k].rank(row, column)] += of_block;
    });
  }
  return work;
}

std::vector<double> domain_seconds(std::span<const double> seconds, const RankMap& map) {
  std::vector<double> work(map.ranks, 0.0);
  for (std::size_t p = 0; p < map.domain.size(); ++p) {
    if (map.domain[p] != RankMap::shared) work[map.domain[p]] += seconds[p];
  }
  return work;
}

std::vector<Count> rank_entries(const PanelStructure& structure, const RankMap& map) {
  std::vector<Count> entries(map.ranks, 0);
  const std::vector<Index> number = shared_numbers(map.domain);
  for (Index p = 0; p < structure.panels(); ++p) {
    const Count width = structure.width(p);
    if (map.domain[p] != RankMap::shared) {
      entries[map.domain[p]] += width * structure.height(p);
      continue;
    }
    const RankGrid& grid = map.grid[number[p]];
    for (Count b = structure.block_begin[p]; b < structure.block_begin[p + 1]; ++b) {
      const Index owner = grid.rank(number[structure.block[b].facing], number[p]);
      entries[owner] += width * (structure.block_end(p, b) - structure.block[b].row_offset);
    }
  }
  return entries;
}

}  // namespace espalier
