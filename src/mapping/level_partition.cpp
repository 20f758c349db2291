// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/level_partition.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "mapping/tuned.hpp"

namespace espalier::internal {

namespace {

/// Forest with one node per panel above a cut and one per group. Children come before parents.
struct PartForest {
  std::vector<Index> node_of;  ///< node of each panel
  std::vector<Index> parent;   ///< -1 for a root
  std::vector<Index> level;
  std::vector<double> seconds;

  Index size() const { return static_cast<Index>(parent.size()); }
  Index levels() const {
    return level.empty() ? 0 : *std::max_element(level.begin(), level.end()) + 1;
  }
};

PartForest forest_of(const PanelStructure& structure, const SubtreeCut& cut,
                     std::span<const double> seconds) {
  PartForest forest;
  std::vector<Index> last;  // last panel of each node
  for (Index p = 0; p < structure.panels(); ++p) {
    const bool begins = p == 0 || cut.group_of[p] < 0 || cut.group_of[p] != cut.group_of[p - 1];
    if (begins) {
      forest.seconds.push_back(0);
      last.push_back(p);
    }
    forest.node_of.push_back(static_cast<Index>(last.size()) - 1);
    forest.seconds.back() += seconds[p];
    last.back() = p;
  }
  const Index lowest = cut.groups.empty() ? 0 : 1;
  for (const Index p : last) forest.level.push_back(cut.group_of[p] < 0 ? lowest : 0);
  for (Index v = 0; v < static_cast<Index>(last.size()); ++v) {
    const Index parent = structure.parent(last[v]);
    forest.parent.push_back(parent < 0 ? -1 : forest.node_of[parent]);
    if (parent < 0) continue;
    Index& above = forest.level[forest.parent[v]];
    above = std::max(above, forest.level[v] + 1);
  }
  return forest;
}

/// Seconds of a set of independent trees.
struct PartLoad {
  double total = 0;
  double largest = 0;

  void add(double more, double tree) {
    total += more;
    largest = std::max(largest, tree);
  }
  /// Returns a lower bound for any schedule of whole trees.
  double seconds(Index workers) const { return std::max(largest, total / workers); }
};

/// Finds the l-partition of each level, from the bottom up.
class Coarsening {
 public:
  Coarsening(const PartForest& forest, Index workers)
      : forest_(forest), workers_(workers), below_(forest.size()) {}

  std::vector<Index> l_partitions() {
    std::vector<std::vector<Index>> nodes(forest_.levels());
    for (Index v = 0; v < forest_.size(); ++v) nodes[forest_.level[v]].push_back(v);
    std::vector<Index> l_partition;
    for (const std::vector<Index>& level : nodes) {
      add(level);
      l_partition.push_back(current_);
    }
    return l_partition;
  }

 private:
  void add(const std::vector<Index>& level) {
    PartLoad alone;
    PartLoad merged = load_;
    for (const Index v : level) {
      alone.add(forest_.seconds[v], forest_.seconds[v]);
      merged.add(forest_.seconds[v], tree(v));
    }
    const bool joins = merged.seconds(workers_) <= load_.seconds(workers_) +
                                                       mapping_constants.barrier_seconds +
                                                       alone.seconds(workers_);
    if (!joins) ++current_;
    load_ = joins ? merged : alone;
    for (const Index v : level) pass_up(v);
  }

  /// Returns the seconds of node v and of the nodes below it in the current l-partition.
  double tree(Index v) const {
    return forest_.seconds[v] + (below_[v].l_partition == current_ ? below_[v].seconds : 0);
  }

  void pass_up(Index v) {
    const Index parent = forest_.parent[v];
    if (parent < 0) return;
    Below& below = below_[parent];
    if (below.l_partition != current_) below = {current_, 0};
    below.seconds += tree(v);
  }

  /// Seconds of the trees below a node in one l-partition.
  struct Below {
    Index l_partition = -1;
    double seconds = 0;
  };

  const PartForest& forest_;
  Index workers_;
  std::vector<Below> below_;
  Index current_ = 0;
  PartLoad load_;  ///< load of the current l-partition
};

std::vector<Index> merge_levels(const PartForest& forest, Index workers, Index levels) {
  if (levels == 0) return Coarsening(forest, workers).l_partitions();
  std::vector<Index> l_partition(forest.levels());
  for (Index h = 0; h < forest.levels(); ++h) l_partition[h] = h / levels;
  return l_partition;
}

/// A tree of an l-partition.
struct Tree {
  Index l_partition;
  double seconds;
  Index root;
  /// Orders trees by l-partition; the largest tree of each comes first.
  bool operator<(const Tree& other) const {
    return std::tuple(l_partition, -seconds, root) <
           std::tuple(other.l_partition, -other.seconds, other.root);
  }
};

/// Returns the root of each node's tree.
std::vector<Index> roots_of(const PartForest& forest, std::span<const Index> l_partition) {
  std::vector<Index> root(forest.size());
  for (Index v = forest.size() - 1; v >= 0; --v) {
    const Index parent = forest.parent[v];
    const bool below =
        parent >= 0 && l_partition[forest.level[parent]] == l_partition[forest.level[v]];
    root[v] = below ? root[parent] : v;
  }
  return root;
}

std::vector<Tree> trees_of(const PartForest& forest, std::span<const Index> l_partition,
                           std::span<const Index> root) {
  std::vector<double> seconds(forest.size(), 0.0);
  for (Index v = 0; v < forest.size(); ++v) seconds[root[v]] += forest.seconds[v];
  std::vector<Tree> trees;
  for (Index v = 0; v < forest.size(); ++v) {
    if (root[v] == v) trees.push_back({l_partition[forest.level[v]], seconds[v], v});
  }
  std::sort(trees.begin(), trees.end());
  return trees;
}

/// Returns the w-partition of each root. Assigns the largest tree first, to the w-partition with
/// the least work (Graham, SIAM Journal on Applied Mathematics 17(2), 1969).
std::vector<Index> pack(const std::vector<Tree>& trees, Index nodes, Index parts) {
  using Bin = std::pair<double, Index>;
  std::priority_queue<Bin, std::vector<Bin>, std::greater<>> bins;
  std::vector<Index> part(nodes, -1);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    if (t == 0 || trees[t].l_partition != trees[t - 1].l_partition) {
      bins = {};
      for (Index p = 0; p < parts; ++p) bins.push({0.0, p});
    }
    const auto [seconds, p] = bins.top();
    bins.pop();
    part[trees[t].root] = p;
    bins.push({seconds + trees[t].seconds, p});
  }
  return part;
}

}  // namespace

LevelPartition partition_levels(const PanelStructure& structure, const SubtreeCut& cut,
                                std::span<const double> seconds, Index workers,
                                const LevelOptions& options) {
  const PartForest forest = forest_of(structure, cut, seconds);
  LevelPartition partition;
  partition.l_partition = merge_levels(forest, workers, options.levels);
  const std::vector<Index> root = roots_of(forest, partition.l_partition);
  const std::vector<Index> part =
      pack(trees_of(forest, partition.l_partition, root), forest.size(), workers * options.parts);
  for (const Index v : forest.node_of) {
    partition.level.push_back(forest.level[v]);
    partition.w_partition.push_back(part[root[v]]);
  }
  return partition;
}

}  // namespace espalier::internal
