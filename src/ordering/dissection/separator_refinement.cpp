// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/separator_refinement.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {

void check(const WeightedGraph& graph, const Separation& separation) {
  std::array<Index, 3> weight{};
  for (Index v = 0; v < graph.n(); ++v) {
    const auto part = separation.part[v];
    weight[part] += graph.weight[v];
    for (const Index u : graph.of(v)) {
      if (part + separation.part[u] == 1) {
        throw InputError("the separator leaves vertex " + std::to_string(v) + " a neighbour, " +
                         std::to_string(u) + ", on the other side");
      }
    }
  }
  if (weight != separation.weight) {
    throw InputError("the weights of a separator and its sides are not those of their vertices");
  }
}

namespace {

/// Returns the number of moves after the best one at which a pass gives up: twice the vertices of
/// the separator, so that all of it may shift by a layer or two.
Index patience_for(const WeightedGraph& graph, const Separation& separation) {
  const double mean_weight = std::max(1.0, static_cast<double>(graph.total_weight) / graph.n());
  const double vertices = separation.weight[Separation::separator] / mean_weight;
  return static_cast<Index>(std::clamp(2 * vertices, 30.0, 2000.0));
}

}  // namespace

void SeparatorRefinement::bind(const WeightedGraph& graph, Separation& separation) {
  graph_ = &graph;
  separation_ = &separation;
  if (static_cast<Index>(moves_.size()) < graph.n()) {
    moves_.resize(graph.n());
    pulled_.resize(graph.n());
  }
  queue_.reset(graph.n(), *std::max_element(graph.weight.begin(), graph.weight.end()));
}

void SeparatorRefinement::start_pass(std::uint8_t to) {
  to_ = to;
  from_ = static_cast<std::uint8_t>(1 - to);
  queue_.clear();
  move_count_ = 0;
  pulled_count_ = 0;
}

void SeparatorRefinement::collect_separator() {
  const std::uint8_t* const begin = separation_->part.data();
  const std::uint8_t* const end = begin + graph_->n();
  for (const std::uint8_t* at = begin; at != end; ++at) {
    at = static_cast<const std::uint8_t*>(std::memchr(at, Separation::separator, end - at));
    if (at == nullptr) return;
    enter(static_cast<Index>(at - begin));
  }
}

void SeparatorRefinement::enter(Index v) {
  Index behind = 0;
  for (const Index u : graph_->of(v)) {
    if (separation_->part[u] == from_) behind += graph_->weight[u];
  }
  queue_.insert(v, graph_->weight[v] - behind);
}

void SeparatorRefinement::shift_weight(Index v, std::uint8_t from, std::uint8_t to) {
  separation_->part[v] = to;
  separation_->weight[from] -= graph_->weight[v];
  separation_->weight[to] += graph_->weight[v];
}

void SeparatorRefinement::pull(Index v) {
  shift_weight(v, from_, Separation::separator);
  pulled_[pulled_count_++] = v;
  const std::uint8_t* const part = separation_->part.data();
  const Index* const weight = graph_->weight.data();
  const Index weight_of_v = weight[v];
  Index behind = 0;
  for (const Index u : graph_->of(v)) {
    if (part[u] == from_) {
      behind += weight[u];
    } else if (part[u] == Separation::separator) {
      queue_.raise(u, weight_of_v);
    }
  }
  queue_.insert(v, weight_of_v - behind);
}

void SeparatorRefinement::move(Best& best) {
  const Index v = queue_.best();
  queue_.remove(v);
  shift_weight(v, Separation::separator, to_);
  const std::uint8_t* const part = separation_->part.data();
  for (const Index u : graph_->of(v)) {
    if (part[u] == from_) pull(u);
  }
  moves_[move_count_++] = {v, pulled_count_};
  const double cost = cost_.of(*separation_);
  if (cost < best.cost) best = {cost, move_count_};
}

void SeparatorRefinement::undo_to(Index moves) {
  const Index kept = moves == 0 ? 0 : moves_[moves - 1].pulled_end;
  // A vertex that was first pulled and then moved goes back to its first side.
  for (; move_count_ > moves; --move_count_) {
    shift_weight(moves_[move_count_ - 1].vertex, to_, Separation::separator);
  }
  for (; pulled_count_ > kept; --pulled_count_) {
    shift_weight(pulled_[pulled_count_ - 1], Separation::separator, from_);
  }
}

bool SeparatorRefinement::pass(std::uint8_t to, Index patience) {
  start_pass(to);
  collect_separator();
  const double cost_before = cost_.of(*separation_);
  Best best{cost_before, 0};
  while (!queue_.empty() && move_count_ < best.moves + patience) {
    const double side = static_cast<double>(separation_->weight[to]) +
                        static_cast<double>(graph_->weight[queue_.best()]);
    if (!cost_.admits(side, *separation_)) break;
    move(best);
  }
  undo_to(best.moves);
  return best.cost < cost_before;
}

void SeparatorRefinement::refine(const WeightedGraph& graph, Separation& separation) {
  constexpr int most_passes = 4;
  bind(graph, separation);
  const Index patience = patience_for(graph, separation);
  std::uint8_t to = separation.weight[0] <= separation.weight[1] ? 0 : 1;
  int failures = 0;
  for (int k = 0; k < most_passes && failures < 2; ++k) {
    failures = pass(to, patience) ? 0 : failures + 1;
    to = static_cast<std::uint8_t>(1 - to);
  }
}

Separation SeparatorRefinement::grow(const WeightedGraph& graph, Index seed) {
  Separation separation{std::vector<std::uint8_t>(graph.n(), 1), {0, graph.total_weight, 0}};
  bind(graph, separation);
  start_pass(0);
  Best best{std::numeric_limits<double>::infinity(), 0};
  while (separation.weight[1] > graph.total_weight - separation.weight[1]) {
    if (queue_.empty()) {
      while (separation.part[seed] != 1) seed = seed + 1 == graph.n() ? 0 : seed + 1;
      pull(seed);
    }
    move(best);
  }
  undo_to(best.moves);
  return separation;
}

}  // namespace espalier::internal
