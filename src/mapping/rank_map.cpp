// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_map.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "espalier/error.hpp"
#include "mapping/layered_map.hpp"
#include "mapping/rank_forest.hpp"
#include "mapping/rank_work.hpp"
#include "mapping/tuned.hpp"

namespace espalier::internal {

namespace {

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
    const SharedWork shared(structure, seconds, map, tiles);
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

/// Throws UsageError if the ranks do not have this grid, or layers of it.
void expect_grid(const BlockGrid& cells, Index ranks, Mapping mapping) {
  const std::string grid = std::to_string(cells.rows) + "x" + std::to_string(cells.columns);
  const std::string number = std::to_string(ranks) + ", the number of ranks";
  if (mapping == Mapping::three_d) {
    if (ranks % cells.size() == 0) return;
    throw UsageError("layers with a grid of " + grid +
                     " do not have all ranks; rows times columns must divide " + number);
  }
  if (cells.size() == ranks) return;
  throw UsageError("a grid of " + grid +
                   " does not have one cell per rank; rows times columns must be " + number);
}

}  // namespace

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
  if (cells != nullptr) expect_grid(*cells, ranks, mapping);
  if (ranks == 1 || mapping == Mapping::proportional) {
    return proportional_map(structure, load, ranks, tiles);
  }
  const bool layered = mapping == Mapping::three_d;
  const ComputationMap computes = mapping == Mapping::fan_both
                                      ? ComputationMap::by_source_and_target
                                  : layered ? ComputationMap::by_layer_of_source
                                            : ComputationMap::by_target;
  if (layered && cells == nullptr) {
    return automatic_layers(structure, load, ranks, computes, alone);
  }
  const RankGrid grid{.cells = cells != nullptr ? *cells : most_square_grid(ranks),
                      .computes = computes};
  return layered_map(structure, load, {ranks / grid.size(), grid}, alone);
}

}  // namespace espalier::internal
