// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/reuse.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "ordering/dissection/dissection.hpp"
#include "ordering/separator_tree.hpp"

namespace espalier::internal {

namespace {

/// Maximum growth of a separator relative to its size, and of a small one in columns. The
/// experiment `reuse` compares limits.
constexpr double most_growth = 0.3;
constexpr Index small_growth = 8;

/// Maximum predicted time of the new parts, relative to a new dissection.
constexpr double most_work = 0.5;

/// Returns the work of a dissection, relative to that of one level of a vertex.
double dissection_work(Index vertices) {
  constexpr double leaf = 300;
  return vertices * (1 + std::log2(std::max(1.0, vertices / leaf)));
}

constexpr Index nowhere = -1;

/// The part of the tree in which each merged vertex is.
class Placement {
 public:
  Placement(const CompressedGraph& graph, const PreviousOrder& previous)
      : graph_(graph),
        ancestry_(previous.tree.part),
        part_(graph.graph.n, nowhere),
        position_(graph.graph.n, std::numeric_limits<Index>::max()),
        changed_(graph.graph.n, 0),
        touched_(previous.tree.part.size(), 0),
        arrived_(previous.tree.part.size(), 0) {
    place_known(previous);
    place_new();
    separate();
    thin_separators();
    for (Index c = 0; c < graph.graph.n; ++c) {
      if (changed_[c] != 0) touched_[part_[c]] = 1;
    }
  }

  const Ancestry& ancestry() const { return ancestry_; }
  Index part(Index c) const { return part_[c]; }
  /// Returns the previous position of the first member that has one, or the largest number.
  Index position(Index c) const { return position_[c]; }
  /// Returns whether the vertices of a part or their neighbours have changed.
  bool is_touched(Index part) const { return touched_[part] != 0; }
  /// Returns the number of columns that were not in this part.
  Index arrived(Index part) const { return arrived_[part]; }

 private:
  using Edge = std::tuple<Index, Index, Index>;  ///< common part, two vertices

  /// Moves a vertex, or places it for the first time.
  void put(Index c, Index part) {
    if (part_[c] != nowhere) touched_[part_[c]] = 1;
    touched_[part] = 1;
    if (part_[c] != nowhere && arrivals_counted_[c] != 0) arrived_[part_[c]] -= graph_.weight[c];
    arrivals_counted_[c] = 1;
    arrived_[part] += graph_.weight[c];
    part_[c] = part;
    changed_[c] = 1;
  }

  void place_known(const PreviousOrder& previous) {
    arrivals_counted_.assign(graph_.graph.n, 0);
    const std::vector<Index> at_position = part_at_positions(previous.tree);
    std::vector<Index> position(previous.tree.column.size());
    for (std::size_t k = 0; k < position.size(); ++k) {
      position[previous.tree.column[k]] = static_cast<Index>(k);
    }
    for (Index c = 0; c < graph_.graph.n; ++c) {
      for (const Index v : graph_.members(c)) {
        if (previous.changed[v] != 0) changed_[c] = 1;
        const Index known = previous.previous_of.empty() ? v : previous.previous_of[v];
        if (known < 0) continue;
        const Index part = at_position[position[known]];
        part_[c] = part_[c] == nowhere ? part : ancestry_.common(part_[c], part);
        position_[c] = std::min(position_[c], position[known]);
      }
    }
  }

  /// Returns the lowest part that separates the neighbours of a vertex from each other. If the
  /// neighbours need no separator, this is the lowest of their parts.
  Index lowest_place(Index c) const {
    Index place = nowhere;
    bool separates = false;
    for (const Index u : graph_.graph.of(c)) {
      const Index other = part_[u];
      if (other == nowhere) continue;
      if (place == nowhere || (!separates && ancestry_.contains(place, other))) {
        place = other;
      } else if (!ancestry_.related(place, other)) {
        place = ancestry_.common(place, other);
        separates = true;
      }
    }
    return place;
  }

  /// Places the new vertices, those beside known ones first. If they have no neighbours that are
  /// placed, they go to the first leaf.
  void place_new() {
    std::vector<Index> queue;
    std::vector<char> queued(graph_.graph.n, 0);
    const auto add = [&](Index c) {
      if (part_[c] != nowhere || queued[c] != 0) return;
      queued[c] = 1;
      queue.push_back(c);
    };
    for (Index c = 0; c < graph_.graph.n; ++c) {
      if (part_[c] == nowhere && lowest_place(c) != nowhere) add(c);
    }
    std::size_t next = 0;
    const auto place_all = [&] {
      for (; next < queue.size(); ++next) {
        const Index c = queue[next];
        put(c, std::max<Index>(0, lowest_place(c)));
        for (const Index u : graph_.graph.of(c)) add(u);
      }
    };
    place_all();
    for (Index c = 0; c < graph_.graph.n; ++c) {
      add(c);
      place_all();
    }
  }

  /// Returns the edges between two sides of a separator, those of upper separators first.
  std::vector<Edge> crossing_edges() const {
    std::vector<Edge> edges;
    for (Index c = 0; c < graph_.graph.n; ++c) {
      for (const Index u : graph_.graph.of(c)) {
        if (u < c || ancestry_.related(part_[c], part_[u])) continue;
        edges.emplace_back(ancestry_.common(part_[c], part_[u]), c, u);
      }
    }
    std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
      return std::get<0>(a) != std::get<0>(b) ? std::get<0>(a) > std::get<0>(b) : a < b;
    });
    return edges;
  }

  /// Moves one end of each crossing edge into the separator: the end with more such edges.
  void separate() {
    const std::vector<Edge> edges = crossing_edges();
    std::vector<Index> count(edges.empty() ? 0 : graph_.graph.n, 0);
    for (const auto& [part, c, u] : edges) {
      ++count[c];
      ++count[u];
    }
    for (const auto& [part, c, u] : edges) {
      if (!ancestry_.related(part_[c], part_[u])) put(count[c] >= count[u] ? c : u, part);
    }
  }

  /// Moves vertices out of separators that no longer need them, if they or a neighbour has changed.
  void thin_separators() {
    const std::vector<char> changed = changed_;
    for (Index c = 0; c < graph_.graph.n; ++c) {
      if (ancestry_.is_leaf(part_[c])) continue;
      const auto neighbours = graph_.graph.of(c);
      if (changed[c] == 0 &&
          std::ranges::none_of(neighbours, [&](Index u) { return changed[u] != 0; })) {
        continue;
      }
      const Index place = lowest_place(c);
      if (place != nowhere && place != part_[c] && ancestry_.contains(part_[c], place)) {
        put(c, place);
      }
    }
  }

  const CompressedGraph& graph_;
  Ancestry ancestry_;
  std::vector<Index> part_;
  std::vector<Index> position_;
  std::vector<char> changed_;
  std::vector<char> arrivals_counted_;
  std::vector<char> touched_;
  std::vector<Index> arrived_;
};

/// Divides the graph into parts that keep their order and parts that are ordered anew.
class Reuse {
 public:
  Reuse(const CompressedGraph& graph, const PreviousOrder& previous)
      : graph_(graph), previous_(previous), placement_(graph, previous) {
    choose_units();
    list_vertices();
  }

  bool pays() const {
    double work = 0;
    for (std::size_t p = 0; p < unit_.size(); ++p) {
      if (is_unit(p) && is_new(p)) work += dissection_work(begin_[p + 1] - begin_[p]);
    }
    return work <= most_work * dissection_work(graph_.graph.n);
  }

  DissectedOrder order(Index threads) const {
    std::vector<Index> order = vertex_;
    std::vector<PartToOrder> parts;
    std::vector<DissectedRange> ranges;
    for (std::size_t p = 0; p < unit_.size(); ++p) {
      if (!is_unit(p)) continue;
      if (is_new(p)) {
        if (begin_[p] == begin_[p + 1]) continue;
        parts.push_back(
            {{vertex_.begin() + begin_[p], vertex_.begin() + begin_[p + 1]}, begin_[p]});
      } else {
        const Index first = placement_.ancestry().first(static_cast<Index>(p));
        ranges.push_back({begin_[first], begin_[p], begin_[p + 1]});
      }
    }
    const auto added = dissect_parts(graph_, parts, threads, order);
    ranges.insert(ranges.end(), added.begin(), added.end());
    return {Permutation::from_old_of(std::move(order)), tree_of(std::move(ranges))};
  }

 private:
  /// Returns whether a part keeps its vertices to itself: it is not inside a new subtree.
  bool is_unit(std::size_t part) const { return unit_[part] == static_cast<Index>(part); }
  bool is_new(std::size_t part) const { return new_[part] != 0; }

  bool grew_too_much(Index part) const {
    const TreePart& known = previous_.tree.part[part];
    const double most = std::max<double>(small_growth, most_growth * (known.end - known.first));
    return placement_.arrived(part) > most;
  }

  void choose_units() {
    const std::vector<TreePart>& part = previous_.tree.part;
    const auto count = static_cast<Index>(part.size());
    unit_.resize(count);
    new_.assign(count, 0);
    for (Index p = count - 1; p >= 0; --p) {
      const Index parent = part[p].parent;
      const bool leaf = placement_.ancestry().is_leaf(p);
      if (parent >= 0 && new_[parent] != 0) {
        unit_[p] = unit_[parent];
        new_[p] = 1;
        continue;
      }
      unit_[p] = p;
      if (leaf ? placement_.is_touched(p) : grew_too_much(p)) new_[p] = 1;
    }
  }

  /// Sorts the vertices by their unit, and those of a unit by their previous position.
  void list_vertices() {
    begin_.assign(unit_.size() + 1, 0);
    for (Index c = 0; c < graph_.graph.n; ++c) ++begin_[unit_[placement_.part(c)] + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    vertex_.resize(graph_.graph.n);
    for (const Index c : by_position()) vertex_[next[unit_[placement_.part(c)]]++] = c;
  }

  /// Returns the vertices by their previous positions, and then the new ones.
  std::vector<Index> by_position() const {
    std::vector<Index> at_position(previous_.tree.column.size(), nowhere);
    std::vector<Index> order;
    std::vector<Index> added;
    for (Index c = 0; c < graph_.graph.n; ++c) {
      const Index position = placement_.position(c);
      if (position < static_cast<Index>(at_position.size())) {
        at_position[position] = c;
      } else {
        added.push_back(c);
      }
    }
    order.reserve(graph_.graph.n);
    std::ranges::copy_if(at_position, std::back_inserter(order),
                         [](Index c) { return c != nowhere; });
    order.insert(order.end(), added.begin(), added.end());
    return order;
  }

  const CompressedGraph& graph_;
  const PreviousOrder& previous_;
  Placement placement_;
  std::vector<Index> unit_;   ///< part, or root of the new subtree with the part
  std::vector<char> new_;     ///< whether the vertices of a part are ordered anew
  std::vector<Index> begin_;  ///< position of the first vertex of each unit
  std::vector<Index> vertex_;
};

}  // namespace

std::optional<DissectedOrder> reused_order(const CompressedGraph& graph,
                                           const PreviousOrder& previous, Index threads) {
  const Reuse reuse(graph, previous);
  if (!reuse.pays()) return std::nullopt;
  return reuse.order(threads);
}

}  // namespace espalier::internal
