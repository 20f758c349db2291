// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection_parts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "ordering/vertex_separator.hpp"

namespace espalier {

namespace {

/// Numbers of the vertices within their parts, and how many there are in each.
struct PartNumbers {
  std::vector<Index> local;
  std::array<Index, 3> size{};

  explicit PartNumbers(const Separation& separation) : local(separation.part.size()) {
    for (std::size_t v = 0; v < local.size(); ++v) local[v] = size[separation.part[v]]++;
  }
};

DissectionPart side_of(const DissectionPart& part, const Separation& separation,
                       const PartNumbers& numbers, std::uint8_t side) {
  DissectionPart result;
  WeightedGraph& graph = result.graph;
  graph.total_weight = separation.weight[side];
  graph.begin.reserve(numbers.size[side] + 1);
  graph.weight.reserve(numbers.size[side]);
  result.vertex.reserve(numbers.size[side]);
  graph.neighbour.resize(part.graph.neighbour.size());
  Index end = 0;
  for (Index v = 0; v < part.graph.n(); ++v) {
    if (separation.part[v] != side) continue;
    for (const Index u : part.graph.of(v)) {
      graph.neighbour[end] = numbers.local[u];
      end += separation.part[u] == side ? 1 : 0;
    }
    graph.begin.push_back(end);
    graph.weight.push_back(part.graph.weight[v]);
    result.vertex.push_back(part.vertex[v]);
  }
  graph.neighbour.resize(end);
  graph.neighbour.shrink_to_fit();
  return result;
}

bool smaller(const DissectionPart& a, const DissectionPart& b) { return a.graph.n() < b.graph.n(); }

}  // namespace

SplitPart split_part(DissectionPart part, const Separation& separation) {
  const PartNumbers numbers(separation);
  SplitPart result;
  for (std::uint8_t side = 0; side < 2; ++side) {
    result.sides.push_back(side_of(part, separation, numbers, side));
    result.sides.back().seed = next_seed(part.seed + side);
  }
  result.sides[0].first = part.first;
  result.sides[1].first = part.first + numbers.size[0];
  result.separator_first = part.first + numbers.size[0] + numbers.size[1];
  result.separator.reserve(numbers.size[Separation::separator]);
  for (Index v = 0; v < part.graph.n(); ++v) {
    if (separation.part[v] == Separation::separator) result.separator.push_back(part.vertex[v]);
  }
  return result;
}

void DissectionQueue::add(DissectionPart part) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(part));
    std::push_heap(waiting_.begin(), waiting_.end(), smaller);
    ++unfinished_;
  }
  changed_.notify_one();
}

std::optional<DissectionPart> DissectionQueue::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_.empty() || unfinished_ == 0 || stopped_; });
  if (waiting_.empty() || stopped_) return std::nullopt;
  std::pop_heap(waiting_.begin(), waiting_.end(), smaller);
  DissectionPart part = std::move(waiting_.back());
  waiting_.pop_back();
  return part;
}

void DissectionQueue::finish_one() {
  {
    const std::scoped_lock lock(mutex_);
    --unfinished_;
  }
  changed_.notify_all();
}

void DissectionQueue::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

}  // namespace espalier
