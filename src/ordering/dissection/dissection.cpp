// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <atomic>
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
    const bool edgeless = part.graph.neighbour.empty();
    if (part.graph.n() > leaf_size && !edgeless) {
      const bool large = part.graph.n() >= large_size_;
      const Separation separation =
          finder_.find(part.graph, part.seed, large ? attempts_at_large : attempts);
      if (cancelled_) return {};
      if (divides(separation, part.graph)) return split(part, separation);
    }
    if (!edgeless || part.graph.n() <= leaf_size) leaves_.order(part.vertex);
    std::copy(part.vertex.begin(), part.vertex.end(), order_.begin() + part.first);
    return {};
  }

 private:
  std::vector<DissectionPart> split(const DissectionPart& part, const Separation& separation) {
    SplitPart halves = split_part(part, separation, loop_);
    std::copy(halves.separator.begin(), halves.separator.end(),
              order_.begin() + halves.separator_first);
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

std::optional<Permutation> dissection_ordering_if(const CompressedGraph& compressed, Index threads,
                                                  const std::function<bool()>& worthwhile) {
  require_countable(compressed.graph);
  const Count useful = std::max<Count>(1, work_of(compressed.graph) / thread_work);
  threads = static_cast<Index>(std::min<Count>(threads, useful));
  std::vector<Index> order(compressed.graph.n);
  if (!Dissection(compressed, threads, order).run(worthwhile)) return std::nullopt;
  return Permutation::from_old_of(std::move(order));
}

Permutation dissection_ordering(const CompressedGraph& compressed, Index threads) {
  return *dissection_ordering_if(compressed, threads, [] { return true; });
}

}  // namespace espalier::internal
