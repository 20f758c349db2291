// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/separator_refinement.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {

double SeparationCost::of(const Separation& separation) const {
  const auto& weight = separation.weight;
  const double sides = static_cast<double>(weight[0]) + weight[1];
  const double heavier = std::max(weight[0], weight[1]);
  // The imbalance decides between separators of about the same weight. Without this term,
  // refinement drifts.
  const double imbalance = (2 * heavier - sides) / (sides + 1);
  const double excess = std::max(0.0, heavier - heaviest_share * sides);
  return weight[Separation::separator] * (1 + 0.02 * imbalance) + excess;
}

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
std::size_t patience_for(const WeightedGraph& graph, const Separation& separation) {
  const double mean_weight = std::max(1.0, static_cast<double>(graph.total_weight) / graph.n());
  const double vertices = separation.weight[Separation::separator] / mean_weight;
  return static_cast<std::size_t>(std::clamp(2 * vertices, 30.0, 2000.0));
}

}  // namespace

void SeparatorRefinement::bind(const WeightedGraph& graph, Separation& separation) {
  graph_ = &graph;
  separation_ = &separation;
  if (static_cast<Index>(behind_.size()) < graph.n()) behind_.resize(graph.n());
  queue_.reset(graph.n(), *std::max_element(graph.weight.begin(), graph.weight.end()));
}

void SeparatorRefinement::start_pass(std::uint8_t to) {
  to_ = to;
  from_ = static_cast<std::uint8_t>(1 - to);
  queue_.clear();
  moves_.clear();
  pulled_.clear();
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
  behind_[v] = behind;
  queue_.insert(v, graph_->weight[v] - behind);
}

void SeparatorRefinement::shift_weight(Index v, std::uint8_t from, std::uint8_t to) {
  separation_->part[v] = to;
  separation_->weight[from] -= graph_->weight[v];
  separation_->weight[to] += graph_->weight[v];
}

void SeparatorRefinement::pull(Index v) {
  shift_weight(v, from_, Separation::separator);
  pulled_.push_back(v);
  Index behind = 0;
  for (const Index u : graph_->of(v)) {
    const std::uint8_t part = separation_->part[u];
    if (part == from_) {
      behind += graph_->weight[u];
    } else if (part == Separation::separator) {
      behind_[u] -= graph_->weight[v];
      queue_.update(u, graph_->weight[u] - behind_[u]);
    }
  }
  behind_[v] = behind;
  queue_.insert(v, graph_->weight[v] - behind);
}

void SeparatorRefinement::move(Best& best) {
  const Index v = queue_.best();
  queue_.remove(v);
  shift_weight(v, Separation::separator, to_);
  for (const Index u : graph_->of(v)) {
    if (separation_->part[u] == from_) pull(u);
  }
  moves_.push_back({v, pulled_.size()});
  const double cost = cost_.of(*separation_);
  if (cost < best.cost) best = {cost, moves_.size()};
}

void SeparatorRefinement::undo_to(std::size_t moves) {
  while (moves_.size() > moves) {
    const Index v = moves_.back().vertex;
    moves_.pop_back();
    shift_weight(v, to_, Separation::separator);
    const std::size_t kept = moves_.empty() ? 0 : moves_.back().pulled_end;
    for (std::size_t k = kept; k < pulled_.size(); ++k) {
      shift_weight(pulled_[k], Separation::separator, from_);
    }
    pulled_.resize(kept);
  }
}

bool SeparatorRefinement::pass(std::uint8_t to, std::size_t patience) {
  start_pass(to);
  collect_separator();
  const double cost_before = cost_.of(*separation_);
  Best best{cost_before, 0};
  while (!queue_.empty() && moves_.size() < best.moves + patience) {
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
  const std::size_t patience = patience_for(graph, separation);
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
