// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_map.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "espalier/error.hpp"
#include "mapping/rank_work.hpp"
#include "mapping/tuned.hpp"

namespace espalier::internal {

namespace {

constexpr Index undecided = -2;

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

/// Returns the map for these domains: each decided supernode has a rank, or `shared` and a grid.
/// Undecided supernodes go to the rank of their parent.
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

/// Gives ranks to subtrees from the roots down so that the work of each rank meets its quota within
/// `slack`. The unused part of a quota is added to the quota of the next rank.
class Proportional {
 public:
  Proportional(const Forest& forest, double slack) : forest_(forest), slack_(slack) {}

  RankMap map(const PanelStructure& structure, const std::vector<double>& quota) {
    domain_.assign(forest_.size(), undecided);
    grid_.assign(forest_.size(), {});
    place(forest_.root, 0, quota);
    while (!to_share_.empty()) {
      Part part = std::move(to_share_.back());
      to_share_.pop_back();
      share(part);
      place(forest_.children(part.root), part.first, std::move(part.quota));
    }
    return map_of_panels(structure, forest_, static_cast<Index>(quota.size()), domain_, grid_);
  }

 private:
  /// A subtree of several ranks, and the share of its seconds for each of them.
  struct Part {
    Index root;
    Index first;
    std::vector<double> quota;
  };
  using BySeconds = std::set<std::pair<double, Index>>;

  /// Fills the ranks in order with the largest subtrees that fit. If none fits, the rank gets a
  /// part of the smallest subtree, which it shares with the next ranks.
  void place(std::span<const Index> trees, Index first, std::vector<double> quota) {
    BySeconds waiting;
    for (const Index tree : trees) waiting.insert({forest_.subtree[tree], tree});
    const std::size_t last = quota.size() - 1;
    for (std::size_t r = 0; !waiting.empty();) {
      if (r < last && quota[r] <= slack_) {
        quota[r + 1] += quota[r];
        ++r;
        continue;
      }
      const auto above = r == last ? waiting.end() : first_above(waiting, quota[r] + slack_);
      if (above != waiting.begin()) {
        const auto [seconds, tree] = *std::prev(above);
        domain_[tree] = first + static_cast<Index>(r);
        quota[r] -= seconds;
        waiting.erase(std::prev(above));
      } else {
        const auto [seconds, tree] = *above;
        waiting.erase(above);
        const Index begin = first + static_cast<Index>(r);
        to_share_.push_back({tree, begin, take(seconds, quota, r)});
      }
    }
  }

  static BySeconds::iterator first_above(BySeconds& trees, double seconds) {
    return trees.upper_bound({seconds, std::numeric_limits<Index>::max()});
  }

  /// Takes `seconds` seconds from the quotas of rank r and the next ranks. Sets r to the last of
  /// them.
  std::vector<double> take(double seconds, std::vector<double>& quota, std::size_t& r) const {
    std::vector<double> taken;
    for (;; ++r) {
      const bool last = r + 1 == quota.size() || seconds <= quota[r] + slack_;
      const double part = last ? seconds : std::max(quota[r], 0.0);
      taken.push_back(part);
      quota[r] -= part;
      seconds -= part;
      if (last) return taken;
      quota[r + 1] += quota[r];
      quota[r] = 0;
    }
  }

  /// Spreads the root over the ranks of the part whose quotas are large enough, and subtracts its
  /// work from these quotas.
  void share(Part& part) {
    const double own = forest_.own[part.root];
    std::size_t begin = 0;
    std::size_t end = part.quota.size();
    while (end - begin > 1) {
      const bool front = part.quota[begin] < part.quota[end - 1];
      const double least = part.quota[front ? begin : end - 1];
      if (least + slack_ >= own / static_cast<double>(end - begin)) break;
      front ? ++begin : --end;
    }
    for (std::size_t r = begin; r < end; ++r) {
      part.quota[r] -= own / static_cast<double>(end - begin);
    }
    domain_[part.root] = RankMap::shared;
    grid_[part.root] = {part.first + static_cast<Index>(begin),
                        most_square_grid(static_cast<Index>(end - begin)), 0};
  }

  const Forest& forest_;
  const double slack_;
  std::vector<Index> domain_;
  std::vector<RankGrid> grid_;
  std::vector<Part> to_share_;
};

/// Chooses shapes and shifts of the grids, for the supernode with the most work first. Minimizes
/// the sum over all ranks of the squares of work and entries, relative to their means.
class GridChoice {
 public:
  /// `loads` are the loads of the domains.
  GridChoice(const SharedWork& shared, std::vector<Load> loads, const Load& mean)
      : shared_(shared), loads_(std::move(loads)), mean_(mean) {}

  void choose(std::vector<RankGrid>& grid) {
    std::vector<Index> order(shared_.supernodes());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return shared_.supernode_seconds(a) > shared_.supernode_seconds(b);
    });
    for (const Index s : order) {
      const Index begin = shared_.supernode_begin[s];
      const RankGrid best = best_grid(s, grid[begin]);
      std::fill(grid.begin() + begin, grid.begin() + shared_.supernode_begin[s + 1], best);
    }
  }

 private:
  /// Returns the best grid of the same ranks. It is at most twice as long as wide if such a grid
  /// exists.
  RankGrid best_grid(Index supernode, const RankGrid& given) {
    const Index ranks = given.size();
    RankGrid best = given;
    std::vector<Load> best_cells;
    double least = std::numeric_limits<double>::max();
    for (Index rows = 1; rows <= ranks; ++rows) {
      const BlockGrid cells{rows, ranks / rows};
      if (cells.size() != ranks || !square_enough(cells, given.cells)) continue;
      const std::vector<Load> of_cells = shared_.cell_loads(supernode, cells);
      for (Index shift = 0; shift < ranks; ++shift) {
        const RankGrid grid{given.first, cells, shift};
        const double squares = sum_of_squares(grid, of_cells);
        if (squares >= least) continue;
        least = squares;
        best = grid;
        best_cells = of_cells;
      }
    }
    for (Index cell = 0; cell < ranks; ++cell) loads_[best.rank_of_cell(cell)] += best_cells[cell];
    return best;
  }

  static bool square_enough(const BlockGrid& cells, const BlockGrid& most_square) {
    const auto [narrow, wide] = std::minmax(cells.rows, cells.columns);
    return wide <= 2 * narrow || narrow == std::min(most_square.rows, most_square.columns);
  }

  double sum_of_squares(const RankGrid& grid, const std::vector<Load>& of_cells) const {
    double sum = 0;
    for (Index cell = 0; cell < grid.size(); ++cell) {
      const Load& load = loads_[grid.rank_of_cell(cell)];
      const double work = (load.seconds + of_cells[cell].seconds) / mean_.seconds;
      const double memory = (load.entries + of_cells[cell].entries) / mean_.entries;
      sum += work * work + memory * memory;
    }
    return sum;
  }

  const SharedWork& shared_;
  std::vector<Load> loads_;
  const Load mean_;
};

Load mean_load(std::span<const Load> loads, Index ranks) {
  Load sum;
  for (const Load& load : loads) sum += load;
  return {sum.seconds / ranks, sum.entries / ranks};
}

std::vector<double> seconds_of(std::span<const Load> loads) {
  std::vector<double> seconds;
  seconds.reserve(loads.size());
  for (const Load& load : loads) seconds.push_back(load.seconds);
  return seconds;
}

/// Weighted sum of work and memory of a load, in seconds. Panels low in the tree have many entries
/// for their work. With balanced work alone, ranks without a domain would have few entries.
class Balance {
 public:
  Balance(const Load& mean, double memory_share)
      : memory_share_(memory_share), second_an_entry_(mean.seconds / mean.entries) {}

  double operator()(const Load& load) const {
    return (1 - memory_share_) * load.seconds + memory_share_ * load.entries * second_an_entry_;
  }

 private:
  double memory_share_;
  double second_an_entry_;
};

/// The best map found so far.
struct BestMap {
  RankMap map;
  double excess = std::numeric_limits<double>::max();  ///< sum of the excesses of work and memory
};

/// Improves the map in rounds. The first quotas are equal. After each round the quota of each rank
/// changes by its missing or excess load, because blocks have different sizes and a grid does not
/// divide them evenly.
void improve(BestMap& best, const PanelStructure& structure, std::span<const Load> load,
             Index ranks, const TileLimits& tiles, double memory_share) {
  constexpr double slack = mapping_constants.balance_slack;
  const Load mean = mean_load(load, ranks);
  const Balance balance(mean, memory_share);
  std::vector<double> weight;
  for (const Load& one : load) weight.push_back(balance(one));
  const std::vector<double> seconds = seconds_of(load);
  const Forest forest = make_forest(structure, weight);
  Proportional mapping(forest, slack * mean.seconds);
  std::vector<double> quota(ranks, mean.seconds);
  for (int round = 0; round < mapping_constants.rounds && best.excess > slack; ++round) {
    RankMap map = mapping.map(structure, quota);
    const SharedWork shared(structure, seconds, map.domain, tiles);
    const std::vector<Load> of_domains = domain_loads(load, map);
    GridChoice(shared, of_domains, mean).choose(map.grid);
    const std::vector<Load> loads = rank_loads(of_domains, map, shared);
    for (Index r = 0; r < ranks; ++r) quota[r] += mean.seconds - balance(loads[r]);
    const Load found = imbalance(loads);
    const double excess =
        found.seconds - 1 + std::max(0.0, found.entries - 1 - mapping_constants.memory_slack);
    if (excess >= best.excess) continue;
    best = {std::move(map), excess};
  }
}

RankMap proportional_map(const PanelStructure& structure, std::span<const Load> load, Index ranks,
                         const TileLimits& tiles) {
  BestMap best;
  for (const double share : mapping_constants.memory_shares) {
    improve(best, structure, load, ranks, tiles, share);
  }
  return std::move(best.map);
}

RankMap all_shared(const PanelStructure& structure, const RankGrid& grid) {
  const auto panels = static_cast<std::size_t>(structure.panels());
  return {grid.size(), std::vector<Index>(panels, RankMap::shared),
          std::vector<RankGrid>(panels, grid)};
}

/// Returns the map that spreads all panels above small subtrees over one grid.
RankMap one_grid_map(const PanelStructure& structure, std::span<const double> seconds,
                     const RankGrid& of_shared) {
  const Index ranks = of_shared.size();
  const Forest forest = make_forest(structure, seconds);
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const double limit = total / (mapping_constants.subtrees_per_rank * ranks);
  std::vector<Index> domain(forest.size(), undecided);
  std::vector<std::pair<double, Index>> trees;
  for (Index s = 0; s < forest.size(); ++s) {
    if (forest.subtree[s] > limit) {
      domain[s] = RankMap::shared;
    } else if (forest.parent[s] < 0 || forest.subtree[forest.parent[s]] > limit) {
      trees.emplace_back(-forest.subtree[s], s);
    }
  }
  std::sort(trees.begin(), trees.end());
  std::set<std::pair<double, Index>> least;
  for (Index rank = 0; rank < ranks; ++rank) least.insert({0.0, rank});
  for (const auto& [minus_work, tree] : trees) {
    const auto [work, rank] = *least.begin();
    least.erase(least.begin());
    least.insert({work - minus_work, rank});
    domain[tree] = rank;
  }
  const std::vector<RankGrid> grid(forest.size(), of_shared);
  return map_of_panels(structure, forest, ranks, std::move(domain), grid);
}

}  // namespace

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

std::vector<char> may_be_shared(std::span<const Index> parent, std::span<const Load> of_supernodes,
                                Index ranks, Alone alone) {
  const bool all = ranks > 1 && alone == Alone::blocks;
  std::vector<char> result(parent.size(), all ? 1 : 0);
  if (ranks == 1 || all) return result;
  const Load mean = mean_load(of_supernodes, ranks);
  for (const double share : mapping_constants.memory_shares) {
    const Balance balance(mean, share);
    std::vector<double> subtree(parent.size(), 0.0);
    for (std::size_t s = 0; s < parent.size(); ++s) {
      subtree[s] += balance(of_supernodes[s]);
      if (parent[s] >= 0) subtree[parent[s]] += subtree[s];
      // A shared subtree is larger than a quota plus the slack, and the quota is larger than the
      // slack. So the subtree exceeds twice the slack. The test uses only the single slack, to
      // allow for rounding.
      if (subtree[s] > mapping_constants.balance_slack * mean.seconds) result[s] = 1;
    }
  }
  return result;
}

RankMap map_to_ranks(const PanelStructure& structure, std::span<const Load> load, Index ranks,
                     Mapping mapping, const BlockGrid* cells, const TileLimits& tiles,
                     Alone alone) {
  if (cells != nullptr && cells->size() != ranks) {
    throw UsageError("a grid of " + std::to_string(cells->rows) + "x" +
                     std::to_string(cells->columns) +
                     " does not have one cell per rank; rows times columns must be " +
                     std::to_string(ranks) + ", the number of ranks");
  }
  if (ranks == 1 || mapping == Mapping::proportional) {
    return proportional_map(structure, load, ranks, tiles);
  }
  RankGrid grid{.cells = cells != nullptr ? *cells : most_square_grid(ranks)};
  if (mapping == Mapping::fan_both) grid.computes = ComputationMap::by_source_and_target;
  if (alone == Alone::blocks) return all_shared(structure, grid);
  return one_grid_map(structure, seconds_of(load), grid);
}

}  // namespace espalier::internal
