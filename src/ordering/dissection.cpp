// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/parallel.hpp"
#include "espalier/error.hpp"
#include "ordering/dissection_parts.hpp"
#include "ordering/halo_minimum_degree.hpp"
#include "ordering/vertex_separator.hpp"

namespace espalier {

namespace {

/// Parts up to this size are ordered by minimum degree. Twice the size costs 2 % more flops and
/// saves a tenth of the time.
constexpr Index leaf_size = 300;

/// Separators of parts with at least a sixteenth of all vertices hold most of the flops: more
/// attempts there save 1 to 2 % of these, 2 to 9 % on 27-point stencils, for as much of the time.
constexpr Index large_share = 16;
constexpr int attempts_at_large = 8;
constexpr int attempts = 3;

/// How much work a graph makes: in vertices, four edges for one.
template <typename Graph>
Count work_of(const Graph& graph) {
  return static_cast<Count>(graph.begin.size() + graph.neighbour.size() / 4);
}

/// A thread for this much work pays.
constexpr Count thread_work = 5000;

/// Parts of up to this much work stay with the thread that made them.
constexpr Count shared_work = 10000;

/// Grids, whose vertices have few neighbours, gain most by uneven sides.
SeparationCost cost_for(const AdjacencyGraph& graph) {
  const bool few_neighbours = graph.neighbour.size() < 10 * static_cast<std::size_t>(graph.n);
  return {few_neighbours ? 0.7 : 0.65};
}

DissectionPart whole(const CompressedGraph& compressed) {
  DissectionPart part;
  part.graph = weighted_graph(compressed);
  part.vertex.resize(compressed.graph.n);
  std::iota(part.vertex.begin(), part.vertex.end(), 0);
  return part;
}

/// A separator that leaves almost all to one side divides nothing.
bool divides(const Separation& separation, const WeightedGraph& graph) {
  return std::min(separation.weight[0], separation.weight[1]) > graph.total_weight / 32;
}

/// Orders parts into `order`; one a thread.
class PartOrderer {
 public:
  PartOrderer(const CompressedGraph& compressed, const std::atomic<bool>& cancelled,
              std::vector<Index>& order)
      : finder_(cost_for(compressed.graph), cancelled),
        leaves_(compressed.graph),
        large_size_(compressed.graph.n / large_share),
        cancelled_(cancelled),
        order_(order) {}

  /// Orders the part, or its separator only, and then returns the two halves.
  std::vector<DissectionPart> order(DissectionPart part) {
    const bool edgeless = part.graph.neighbour.empty();
    if (part.graph.n() > leaf_size && !edgeless) {
      const bool large = part.graph.n() >= large_size_;
      const Separation separation =
          finder_.find(part.graph, part.seed, large ? attempts_at_large : attempts);
      if (cancelled_) return {};
      if (divides(separation, part.graph)) return split(std::move(part), separation);
    }
    if (!edgeless || part.graph.n() <= leaf_size) leaves_.order(part.vertex);
    std::copy(part.vertex.begin(), part.vertex.end(), order_.begin() + part.first);
    return {};
  }

 private:
  std::vector<DissectionPart> split(DissectionPart part, const Separation& separation) {
    SplitPart halves = split_part(std::move(part), separation);
    std::copy(halves.separator.begin(), halves.separator.end(),
              order_.begin() + halves.separator_first);
    return std::move(halves.sides);
  }

  SeparatorFinder finder_;
  HaloMinimumDegree leaves_;
  const Index large_size_;
  const std::atomic<bool>& cancelled_;
  std::vector<Index>& order_;
};

/// Takes parts until none is left.
void order_parts(DissectionQueue& queue, PartOrderer orderer) {
  std::vector<DissectionPart> own;
  while (std::optional<DissectionPart> taken = queue.take()) {
    own.push_back(std::move(*taken));
    while (!own.empty()) {
      DissectionPart part = std::move(own.back());
      own.pop_back();
      for (DissectionPart& half : orderer.order(std::move(part))) {
        if (work_of(half.graph) > shared_work) {
          queue.add(std::move(half));
        } else {
          own.push_back(std::move(half));
        }
      }
    }
    queue.finish_one();
  }
}

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
  if (threads == 1 && !worthwhile()) return std::nullopt;
  std::vector<Index> order(compressed.graph.n);
  DissectionQueue queue;
  queue.add(whole(compressed));
  parallel_for(threads, threads, [&](Index thread) {
    try {
      if (thread == 1 && !worthwhile()) queue.stop();
      order_parts(queue, PartOrderer(compressed, queue.stopped(), order));
    } catch (...) {
      queue.stop();
      throw;
    }
  });
  if (queue.stopped()) return std::nullopt;
  return Permutation::from_old_of(std::move(order));
}

Permutation dissection_ordering(const CompressedGraph& compressed, Index threads) {
  return *dissection_ordering_if(compressed, threads, [] { return true; });
}

}  // namespace espalier
