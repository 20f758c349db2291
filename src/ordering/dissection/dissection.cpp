// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/dissection.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "espalier/error.hpp"
#include "ordering/dissection/halo_minimum_degree.hpp"
#include "ordering/dissection/separator_refinement.hpp"
#include "ordering/dissection/splitting.hpp"
#include "ordering/dissection/vertex_separator.hpp"
#include "ordering/growing_tasks.hpp"
#include "ordering/methods.hpp"
#include "ordering/separator_tree.hpp"

namespace espalier::internal {

namespace {

/// Parts with at most this number of vertices are not split. Minimum degree orders them.
constexpr Index leaf_size = 300;

/// A part is large if it has at least 1 / 16 of all vertices. Separators of large parts have most
/// of the flops. Therefore more attempts are made for them.
constexpr Index large_share = 16;
constexpr int attempts_at_large = 8;
constexpr int attempts = 3;

/// Returns the work for a graph, in vertices. Four neighbours count as one vertex.
template <typename Graph>
Count work_of(const Graph& graph) {
  return static_cast<Count>(graph.begin.size() + graph.neighbour.size() / 4);
}

/// Minimum work per thread.
constexpr Count thread_work = 5000;

/// Maximum work of a part that stays on the thread that made it.
constexpr Count shared_work = 3000;

/// Returns a cost that allows uneven sides. Grids, whose vertices have few neighbours, gain most
/// from uneven sides.
SeparationCost cost_for(const AdjacencyGraph& graph) {
  const bool few_neighbours = graph.neighbour.size() < 10 * static_cast<std::size_t>(graph.n);
  return {few_neighbours ? 0.7 : 0.65};
}

DissectionPart whole(const CompressedGraph& compressed, const ParallelLoop& loop) {
  DissectionPart part;
  part.graph = weighted_graph(compressed, loop);
  part.vertex.resize(compressed.graph.n);
  std::iota(part.vertex.begin(), part.vertex.end(), 0);
  return part;
}

/// Given parts as graphs.
class GivenParts {
 public:
  GivenParts(const CompressedGraph& compressed, const std::vector<PartToOrder>& parts)
      : compressed_(compressed),
        parts_(parts),
        part_of_(compressed.graph.n, -1),
        number_(compressed.graph.n) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      for (std::size_t i = 0; i < parts[k].vertex.size(); ++i) {
        part_of_[parts[k].vertex[i]] = static_cast<Index>(k);
        number_[parts[k].vertex[i]] = static_cast<Index>(i);
      }
    }
  }

  /// Returns a part. A leaf needs no graph.
  DissectionPart part(Index k) const {
    DissectionPart result;
    const std::vector<Index>& vertices = parts_[k].vertex;
    result.vertex.resize(vertices.size());
    std::ranges::copy(vertices, result.vertex.begin());
    result.first = parts_[k].first;
    result.seed = next_seed(static_cast<std::uint64_t>(parts_[k].first));
    if (static_cast<Index>(vertices.size()) > leaf_size) result.graph = graph_of_part(k);
    return result;
  }

 private:
  WeightedGraph graph_of_part(Index k) const {
    const std::vector<Index>& vertices = parts_[k].vertex;
    WeightedGraph graph;
    graph.begin.resize(vertices.size() + 1);
    graph.begin[0] = 0;
    graph.weight.resize(vertices.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      graph.weight[i] = compressed_.weight[vertices[i]];
      graph.total_weight += graph.weight[i];
      for (const Index u : compressed_.graph.of(vertices[i])) {
        if (part_of_[u] == k) graph.neighbour.push_back(number_[u]);
      }
      graph.begin[i + 1] = static_cast<Index>(graph.neighbour.size());
    }
    return graph;
  }

  const CompressedGraph& compressed_;
  const std::vector<PartToOrder>& parts_;
  std::vector<Index> part_of_;  ///< -1 outside of all parts
  std::vector<Index> number_;   ///< number within the part
};

/// Returns whether both sides have a substantial part of the weight.
bool divides(const Separation& separation, const WeightedGraph& graph) {
  return std::min(separation.weight[0], separation.weight[1]) > graph.total_weight / 32;
}

/// Orders parts into `order`. Each thread has its own orderer.
class PartOrderer {
 public:
  PartOrderer(const CompressedGraph& compressed, const std::atomic<bool>& cancelled,
              const ParallelLoop& loop, std::vector<Index>& order)
      : loop_(loop),
        finder_(cost_for(compressed.graph), cancelled, loop),
        leaves_(compressed.graph),
        large_size_(compressed.graph.n / large_share),
        cancelled_(cancelled),
        order_(order) {}

  /// Orders a whole part; or splits it, orders its separator, and returns the two halves.
  std::vector<DissectionPart> order(DissectionPart part) {
    const auto size = static_cast<Index>(part.vertex.size());
    const bool edgeless = part.graph.neighbour.empty();
    if (size > leaf_size && !edgeless) {
      const bool large = size >= large_size_;
      const Separation separation =
          finder_.find(part.graph, part.seed, large ? attempts_at_large : attempts);
      if (cancelled_) return {};
      if (divides(separation, part.graph)) return split(part, separation);
    }
    if (!edgeless || size <= leaf_size) leaves_.order(part.vertex);
    std::copy(part.vertex.begin(), part.vertex.end(), order_.begin() + part.first);
    ranges_.push_back({part.first, part.first, part.first + size});
    return {};
  }

  /// Returns the ranges of all parts so far.
  const std::vector<DissectedRange>& ranges() const { return ranges_; }

 private:
  std::vector<DissectionPart> split(const DissectionPart& part, const Separation& separation) {
    SplitPart halves = split_part(part, separation, loop_);
    std::copy(halves.separator.begin(), halves.separator.end(),
              order_.begin() + halves.separator_first);
    ranges_.push_back({part.first, halves.separator_first,
                       halves.separator_first + static_cast<Index>(halves.separator.size())});
    std::vector<DissectionPart> sides;
    for (DissectionPart& side : halves.sides) sides.push_back(std::move(side));
    return sides;
  }

  ParallelLoop loop_;
  SeparatorFinder finder_;
  HaloMinimumDegree leaves_;
  const Index large_size_;
  const std::atomic<bool>& cancelled_;
  std::vector<Index>& order_;
  std::vector<DissectedRange> ranges_;
};

/// Orders a graph by tasks. Each task orders a part.
class Dissection {
 public:
  Dissection(const CompressedGraph& compressed, Index threads, std::vector<Index>& order)
      : compressed_(compressed), orderer_(static_cast<std::size_t>(threads)), order_(order) {}

  /// Returns whether the order is complete. It is incomplete if `worthwhile` returns false. If
  /// there are several threads, `worthwhile` runs in parallel with the first parts.
  bool run(const std::function<bool()>& worthwhile) {
    const auto threads = static_cast<Index>(orderer_.size());
    if (threads == 1 && !worthwhile()) return false;
    if (threads > 1) {
      tasks_.add(std::numeric_limits<Count>::max(), [&](Index) {
        if (!worthwhile()) tasks_.stop();
      });
    }
    tasks_.add(compressed_.graph.n,
               [&](Index thread) { order_part(whole(compressed_, loop()), thread); });
    tasks_.run(threads);
    return !tasks_.stopped();
  }

  /// Orders these parts only.
  void run(const std::vector<PartToOrder>& parts) {
    const GivenParts given(compressed_, parts);
    for (std::size_t k = 0; k < parts.size(); ++k) {
      tasks_.add(std::ssize(parts[k].vertex),
                 [&, k](Index thread) { order_part(given.part(static_cast<Index>(k)), thread); });
    }
    tasks_.run(static_cast<Index>(orderer_.size()));
  }

  /// Returns the ranges of all parts, in any order.
  std::vector<DissectedRange> ranges() const {
    std::vector<DissectedRange> result;
    for (const std::optional<PartOrderer>& orderer : orderer_) {
      if (orderer) result.insert(result.end(), orderer->ranges().begin(), orderer->ranges().end());
    }
    return result;
  }

 private:
  void add(DissectionPart part) {
    const Index size = part.graph.n();
    tasks_.add(size, [this, part = std::move(part)](Index thread) mutable {
      order_part(std::move(part), thread);
    });
  }

  ParallelLoop loop() {
    return [this](Index count, const auto& body) { tasks_.loop(count, body); };
  }

  void order_part(DissectionPart part, Index thread) {
    if (!orderer_[thread]) orderer_[thread].emplace(compressed_, tasks_.stopped(), loop(), order_);
    std::vector<DissectionPart> own;
    own.push_back(std::move(part));
    while (!own.empty()) {
      DissectionPart next = std::move(own.back());
      own.pop_back();
      for (DissectionPart& half : orderer_[thread]->order(std::move(next))) {
        if (work_of(half.graph) > shared_work) {
          add(std::move(half));
        } else {
          own.push_back(std::move(half));
        }
      }
    }
  }

  const CompressedGraph& compressed_;
  std::vector<std::optional<PartOrderer>> orderer_;  ///< one per thread
  std::vector<Index>& order_;
  GrowingTasks tasks_;
};

void require_countable(const AdjacencyGraph& graph) {
  const auto neighbours = static_cast<Count>(graph.neighbour.size());
  if (dissection_accepts(neighbours)) return;
  throw UsageError("dissection counts in 32 bits and cannot order a graph with " +
                   std::to_string(neighbours) + " neighbours; choose the ordering amd");
}

}  // namespace

bool dissection_accepts(Count neighbours) {
  return neighbours <= std::numeric_limits<Index>::max();
}

namespace {

/// Returns the number of threads that have enough work.
Index useful_threads(Count work, Index threads) {
  return static_cast<Index>(std::min<Count>(threads, std::max<Count>(1, work / thread_work)));
}

}  // namespace

std::optional<DissectedOrder> dissection_ordering_if(const CompressedGraph& compressed,
                                                     Index threads,
                                                     const std::function<bool()>& worthwhile) {
  require_countable(compressed.graph);
  std::vector<Index> order(compressed.graph.n);
  Dissection dissection(compressed, useful_threads(work_of(compressed.graph), threads), order);
  if (!dissection.run(worthwhile)) return std::nullopt;
  return DissectedOrder{Permutation::from_old_of(std::move(order)), tree_of(dissection.ranges())};
}

DissectedOrder dissection_ordering(const CompressedGraph& compressed, Index threads) {
  return *dissection_ordering_if(compressed, threads, [] { return true; });
}

std::vector<DissectedRange> dissect_parts(const CompressedGraph& compressed,
                                          const std::vector<PartToOrder>& parts, Index threads,
                                          std::vector<Index>& order) {
  require_countable(compressed.graph);
  Count work = 0;
  for (const PartToOrder& part : parts) {
    for (const Index v : part.vertex) work += 1 + std::ssize(compressed.graph.of(v)) / 4;
  }
  Dissection dissection(compressed, useful_threads(work, threads), order);
  dissection.run(parts);
  return dissection.ranges();
}

}  // namespace espalier::internal
