// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/layered_map.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "mapping/rank_forest.hpp"
#include "mapping/tuned.hpp"

namespace espalier::internal {

namespace {

using TreeOfSeconds = std::pair<double, Index>;  ///< seconds, root

struct LargestFirst {
  bool operator()(const TreeOfSeconds& a, const TreeOfSeconds& b) const {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  }
};

using Trees = std::set<TreeOfSeconds, LargestFirst>;

/// A division of trees: supernodes above the subtrees of two halves of the layers.
struct Halves {
  std::vector<Index> top;
  Trees one;
  Trees two;
};

/// Division of a forest among layers.
class Division {
 public:
  Division(const Forest& forest, const Layers& layers, double limit)
      : forest_(forest),
        count_(layers.count),
        grid_(layers.grid),
        limit_(limit),
        domain_(forest.size(), undecided),
        grid_of_(forest.size()) {}

  RankMap map(const PanelStructure& structure) {
    Trees roots;
    insert(forest_.root, roots);
    divide(roots, 0, count_);
    return map_of_panels(structure, forest_, count_ * grid_.size(), std::move(domain_), grid_of_);
  }

 private:
  /// Divides trees among the layers [first, first + layers).
  void divide(const Trees& trees, Index first, Index layers) {
    if (layers == 1) return give(trees, first);
    const Index of_one = (layers + 1) / 2;
    const Halves halves = best_halves(trees, of_one, layers - of_one);
    const RankGrid grid = grid_of_top(first, layers);
    for (const Index s : halves.top) share(s, grid);
    divide(halves.one, first, of_one);
    divide(halves.two, first + of_one, layers - of_one);
  }

  void insert(std::span<const Index> supernodes, Trees& trees) const {
    for (const Index s : supernodes) trees.insert({forest_.subtree[s], s});
  }

  RankGrid grid_of_layer(Index layer) const {
    RankGrid grid = grid_;
    grid.first = layer * grid_.size();
    return grid;
  }

  /// Returns the grid of supernodes above the subtrees of these layers.
  RankGrid grid_of_top(Index first, Index layers) const {
    RankGrid grid = grid_of_layer(first);
    grid.cells = most_square_grid(layers * grid_.size());
    return grid;
  }

  /// Moves the root of the largest tree to the top until the predicted time is near that of perfect
  /// halves. All layers work on the top, after the slower half. Returns the division with the least
  /// time.
  Halves best_halves(Trees trees, Index of_one, Index of_two) const {
    const Index layers = of_one + of_two;
    const double perfect =
        std::accumulate(trees.begin(), trees.end(), 0.0,
                        [](double sum, const auto& tree) { return sum + tree.first; }) /
        layers;
    std::vector<Index> top;
    double top_seconds = 0;
    Halves best;
    double least = std::numeric_limits<double>::max();
    for (;;) {
      Halves halves;
      const double seconds = pack(trees, of_one, of_two, halves) + top_seconds / layers;
      if (seconds < least) {
        least = seconds;
        halves.top = top;
        best = std::move(halves);
      }
      if (least <= (1 + mapping_constants.layer_slack) * perfect) return best;
      if (trees.empty() || trees.begin()->first <= limit_) return best;
      const Index root = trees.begin()->second;
      trees.erase(trees.begin());
      top.push_back(root);
      top_seconds += forest_.own[root];
      insert(forest_.children(root), trees);
    }
  }

  /// Gives each tree, the largest first, to the half that finishes it first. Returns the seconds of
  /// the slower half.
  static double pack(const Trees& trees, Index of_one, Index of_two, Halves& halves) {
    double one = 0;
    double two = 0;
    for (const auto& tree : trees) {
      const double with_one = one + tree.first / of_one;
      const double with_two = two + tree.first / of_two;
      if (with_one <= with_two) {
        one = with_one;
        halves.one.insert(halves.one.end(), tree);
      } else {
        two = with_two;
        halves.two.insert(halves.two.end(), tree);
      }
    }
    return std::max(one, two);
  }

  /// Gives trees to one layer.
  void give(Trees trees, Index layer) {
    std::set<std::pair<double, Index>> least;
    const RankGrid grid = grid_of_layer(layer);
    for (Index cell = 0; cell < grid.size(); ++cell) least.insert({0.0, grid.first + cell});
    while (!trees.empty()) {
      const auto [seconds, tree] = *trees.begin();
      trees.erase(trees.begin());
      if (seconds > limit_) {
        share(tree, grid);
        insert(forest_.children(tree), trees);
        continue;
      }
      const auto [work, rank] = *least.begin();
      least.erase(least.begin());
      least.insert({work + seconds, rank});
      domain_[tree] = rank;
    }
  }

  void share(Index supernode, const RankGrid& grid) {
    domain_[supernode] = RankMap::shared;
    grid_of_[supernode] = grid;
  }

  const Forest& forest_;
  Index count_;
  RankGrid grid_;
  double limit_;  ///< maximum seconds of a tree that goes to one rank
  std::vector<Index> domain_;
  std::vector<RankGrid> grid_of_;
};

/// Returns the entries of L that layers sum up for each other: those of panels that several layers
/// share, once per layer without the owner's.
double entries_of_sums(const RankMap& map, std::span<const Load> load, Index ranks_per_layer) {
  double entries = 0;
  auto grid = map.grid.begin();
  for (std::size_t p = 0; p < load.size(); ++p) {
    if (map.domain[p] != RankMap::shared) continue;
    entries += (grid++->size() / ranks_per_layer - 1) * load[p].entries;
  }
  return entries;
}

RankMap map_of_layers(const PanelStructure& structure, const Forest& forest, const Layers& layers,
                      Alone alone) {
  const double total = std::accumulate(forest.own.begin(), forest.own.end(), 0.0);
  const double pieces = mapping_constants.subtrees_per_rank * layers.count * layers.grid.size();
  const double limit = alone == Alone::blocks ? -1 : total / pieces;
  return Division(forest, layers, limit).map(structure);
}

}  // namespace

RankMap layered_map(const PanelStructure& structure, std::span<const Load> load,
                    const Layers& layers, Alone alone) {
  return map_of_layers(structure, make_forest(structure, seconds_of(load)), layers, alone);
}

RankMap automatic_layers(const PanelStructure& structure, std::span<const Load> load, Index ranks,
                         ComputationMap computes, Alone alone) {
  double of_l = 0;
  for (const Load& one : load) of_l += one.entries;
  const Forest forest = make_forest(structure, seconds_of(load));
  for (Index count = std::min(ranks, mapping_constants.max_layers);; --count) {
    if (ranks % count != 0) continue;
    const Index of_one = ranks / count;
    const RankGrid grid{.cells = most_square_grid(of_one), .computes = computes};
    RankMap map = map_of_layers(structure, forest, {count, grid}, alone);
    const double sums = entries_of_sums(map, load, of_one);
    if (count == 1 || sums <= mapping_constants.layer_memory * of_l) return map;
  }
}

}  // namespace espalier::internal
