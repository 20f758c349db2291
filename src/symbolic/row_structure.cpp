// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/row_structure.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "symbolic/partition_refinement.hpp"

namespace espalier::internal {

SubtreeGroups group_subtrees(std::span<const Index> parent, std::span<const Index> work,
                             Index workers) {
  constexpr Count groups_a_worker = 2;
  constexpr Count least_work = 50'000;  // work of a group below which starting a thread costs more
  const auto n = static_cast<Index>(parent.size());
  SubtreeGroups groups{{0, n}, std::vector<char>(n, 0), {}};
  if (workers <= 1) return groups;
  std::vector<Count> subtree(work.begin(), work.end());
  Count total = 0;
  for (Index v = 0; v < n; ++v) {
    total += work[v];
    if (parent[v] != -1) subtree[parent[v]] += subtree[v];
  }
  const Count limit = std::max(total / (groups_a_worker * workers), least_work);
  groups.border = {0};
  Count open = 0;  // work of the group that is not closed yet
  for (Index v = 0; v < n; ++v) {
    if (subtree[v] > limit) {
      groups.in_top[v] = 1;
      groups.top.push_back(v);
    } else if (parent[v] == -1 || subtree[parent[v]] > limit) {
      open += subtree[v];
      if (2 * open <= limit) continue;
      groups.border.push_back(v + 1);
      open = 0;
    }
  }
  if (groups.border.back() < n) groups.border.push_back(n);
  return groups;
}

namespace {

/// Adds rows, in ascending order, to the supernodes that have them. Each part of a divided forest
/// is filled independently: a group from its own rows and the rows of the top, the top from its own
/// rows.
class RowWalk {
 public:
  /// `vertex_at(i)` is the vertex of the graph with number i.
  template <typename VertexAt>
  RowWalk(const EliminationGraph& graph, const Supernodes& supernodes, VertexAt vertex_at,
          Index workers)
      : graph_(graph),
        supernodes_(supernodes),
        groups_(group_subtrees(supernodes_.parent, supernodes_.height, workers)),
        node_(supernodes_.count()),
        top_ancestor_(supernodes_.count()),
        supernode_of_(graph.n),
        graph_vertex_(graph.n),
        part_(groups_.count() + 1) {
    make_space();
    constexpr Index supernodes_a_task = 2'000;
    parallel_ranges(supernodes_.count(), supernodes_a_task, workers, [&](Index first, Index last) {
      for (Index s = first; s < last; ++s) locate_vertices(s, vertex_at);
    });
    const Index filled = groups_.count() + (groups_.top.empty() ? 0 : 1);
    parallel_for(filled, workers, [&](Index part) {
      part_[part] = part == groups_.count() ? fill_top() : fill_group(part);
    });
  }

  RowStructure take() {
    result_.below.reserve(node_.size());
    for (Index s = 0; s < supernodes_.count(); ++s) {
      result_.below.push_back(
          static_cast<Index>(node_[s].next - result_.begin[s] - supernodes_.width[s]));
    }
    join_facing_ranges();
    return std::move(result_);
  }

 private:
  struct Node {
    Count next;    ///< position of its next row
    Index parent;  ///< parent in the same part; -1 if there is none
    Index last_row = -1;
    Index faces = -1;  ///< supernode of its last row
  };
  /// Ranges that a part has found, and their number per facing supernode.
  struct Part {
    std::vector<FacingRange> range;
    std::vector<std::pair<Index, Index>> facing;  // supernode, ascending; number of ranges
  };

  void make_space() {
    result_.begin.reserve(node_.size() + 1);
    for (Index s = 0; s < supernodes_.count(); ++s) {
      const Index p = supernodes_.parent[s];
      const bool cut = p == -1 || groups_.in_top[p] != groups_.in_top[s];
      node_[s] = {.next = result_.begin.back() + supernodes_.width[s], .parent = cut ? -1 : p};
      result_.begin.push_back(result_.begin.back() + supernodes_.height[s]);
    }
    for (Index s = supernodes_.count(); s-- > 0;) {
      const Index p = supernodes_.parent[s];
      top_ancestor_[s] = groups_.in_top[s] ? s : p == -1 ? -1 : top_ancestor_[p];
    }
    result_.row.resize(result_.begin.back());
  }

  template <typename VertexAt>
  void locate_vertices(Index s, VertexAt vertex_at) {
    for (Index i = supernodes_.begin[s]; i < supernodes_.begin[s + 1]; ++i) {
      const Index v = vertex_at(i);
      graph_vertex_[i] = v;
      supernode_of_[v] = s;
    }
  }

  Part fill_group(Index g) {
    Part part;
    const auto own = [&](Index t) { return t; };
    groups_.for_each_in(g, [&](Index s) { add_rows_of(s, own, part); });
    const auto inside = [&](Index t) {
      return t >= groups_.border[g] && t < groups_.border[g + 1] && !groups_.in_top[t] ? t : -1;
    };
    for (const Index s : groups_.top) add_rows_of(s, inside, part);
    return part;
  }

  Part fill_top() {
    Part part;
    const auto above = [&](Index t) { return top_ancestor_[t]; };
    for (const Index s : groups_.top) add_rows_of(s, above, part);
    return part;
  }

  /// Adds the rows that are vertices of s. The path of a row starts at the supernode of an earlier
  /// neighbour. `enter` maps this supernode to the first supernode of the path in the part, or to
  /// -1.
  template <typename Enter>
  void add_rows_of(Index s, Enter enter, Part& part) {
    const std::size_t first = part.range.size();
    for (Index i = supernodes_.begin[s]; i < supernodes_.begin[s + 1]; ++i) {
      for (const Index u : graph_.earlier(graph_vertex_[i])) {
        Index t = enter(supernode_of_[u]);
        for (; t != -1 && t != s && node_[t].last_row != i; t = node_[t].parent) {
          Node& node = node_[t];
          node.last_row = i;
          if (node.faces != s) {
            node.faces = s;
            part.range.push_back({node.next, 0, t});
          }
          result_.row[node.next++] = i;
        }
      }
    }
    if (part.range.size() == first) return;
    part.facing.emplace_back(s, static_cast<Index>(part.range.size() - first));
    for (std::size_t k = first; k < part.range.size(); ++k) {
      FacingRange& range = part.range[k];
      range.size = static_cast<Index>(node_[range.source].next - range.begin);
    }
  }

  void join_facing_ranges() {
    std::vector<Count>& begin = result_.facing_begin;
    begin.assign(node_.size() + 1, 0);
    for (const Part& part : part_) {
      for (const auto& [s, ranges] : part.facing) begin[s + 1] += ranges;
    }
    std::inclusive_scan(begin.begin(), begin.end(), begin.begin());
    if (groups_.count() == 1 && groups_.top.empty()) {
      result_.facing = std::move(part_.front().range);
      return;
    }
    result_.facing.resize(begin.back());
    std::vector<Count> next = begin;
    for (const Part& part : part_) {
      auto range = part.range.begin();
      for (const auto& [s, ranges] : part.facing) {
        std::copy_n(range, ranges, result_.facing.begin() + next[s]);
        range += ranges;
        next[s] += ranges;
      }
    }
  }

  const EliminationGraph& graph_;
  const Supernodes& supernodes_;
  const SubtreeGroups groups_;
  std::vector<Node> node_;
  /// For each supernode, the first supernode of the top on its path to the root; -1 if there is
  /// none.
  std::vector<Index> top_ancestor_;
  std::vector<Index> supernode_of_;  ///< supernode of each vertex of the graph
  std::vector<Index> graph_vertex_;
  std::vector<Part> part_;  ///< one per group, then the top
  RowStructure result_;
};

}  // namespace

RowStructure row_structure(const EliminationOrder& order, const Amalgamation& amalgamation,
                           Index workers) {
  const auto vertex_at = [&](Index i) {
    return order.postorder.old_of[amalgamation.renumbering.old_of[i]];
  };
  return RowWalk(order.graph, amalgamation.supernodes, vertex_at, workers).take();
}

RowStructure row_structure(const EliminationGraph& graph, const Supernodes& supernodes,
                           Index workers) {
  return RowWalk(
             graph, supernodes, [](Index i) { return i; }, workers)
      .take();
}

ColumnNumbering number_columns(const CompressedGraph& graph, std::span<const Index> vertex_at,
                               Index workers) {
  constexpr Index vertices_a_task = 10'000;
  const auto vertices = static_cast<Index>(vertex_at.size());
  const std::size_t n = graph.member.size();
  ColumnNumbering result{{std::vector<Index>(n), std::vector<Index>(n)},
                         std::vector<Index>(vertex_at.size() + 1)};
  std::vector<Index>& begin = result.column_begin;
  parallel_ranges(vertices, vertices_a_task, workers, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) begin[i + 1] = graph.weight[vertex_at[i]];
  });
  std::inclusive_scan(begin.begin(), begin.end(), begin.begin());
  parallel_ranges(vertices, vertices_a_task, workers, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      Index column = begin[i];
      for (const Index member : graph.members(vertex_at[i])) {
        result.permutation.new_of[member] = column;
        result.permutation.old_of[column++] = member;
      }
    }
  });
  return result;
}

namespace {

/// Replaces vertices by their columns, from the last to the first, so that no vertex is overwritten
/// before it is read.
void expand_below(std::span<const Index> column_begin, std::span<Index> range, Index vertices) {
  auto to = range.end();
  for (auto vertex = range.begin() + vertices; vertex != range.begin();) {
    const Index v = *--vertex;
    for (Index column = column_begin[v + 1]; column > column_begin[v];) *--to = --column;
  }
}

}  // namespace

void expand_rows(const Supernodes& supernodes, std::span<const Index> column_begin,
                 RowStructure& rows, Index workers) {
  constexpr Index supernodes_a_task = 500;
  parallel_ranges(supernodes.count(), supernodes_a_task, workers, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      const std::span<Index> range(rows.row.data() + rows.begin[s],
                                   rows.row.data() + rows.begin[s + 1]);
      const std::span<Index> own = range.first(supernodes.width[s]);
      std::iota(own.begin(), own.end(), column_begin[supernodes.begin[s]]);
      expand_below(column_begin, range.subspan(own.size()), rows.below[s]);
    }
  });
}

ForestRows forest_rows(const Supernodes& supernodes, Index count, std::span<const ColumnPair> pairs,
                       bool refine, Index workers) {
  const auto begin = std::span(supernodes.begin).first(static_cast<std::size_t>(count) + 1);
  RowStructure rows = row_structure(
      earlier_neighbours(supernodes.begin.back(), pairs, begin.back()), supernodes, workers);
  ForestRows result;
  result.renumbering =
      refine ? refine_partition(begin, rows, workers) : Permutation::identity(begin.back());
  for (Index s = 0; s < count; ++s) {
    const auto own = rows.row.begin() + rows.begin[s];
    std::iota(own, own + supernodes.width[s], begin[s]);
  }
  rows.begin.resize(begin.size());
  rows.row.resize(static_cast<std::size_t>(rows.begin.back()));
  result.begin = std::move(rows.begin);
  result.row = std::move(rows.row);
  return result;
}

}  // namespace espalier::internal
