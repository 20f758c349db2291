// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/expansion.hpp"

#include <numeric>

#include "base/parallel.hpp"

namespace espalier {

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

/// From the last vertex to the first, so that none is overwritten before it is read.
void expand_below(std::span<const Index> column_begin, std::span<Index> room, Index vertices) {
  auto to = room.end();
  for (auto vertex = room.begin() + vertices; vertex != room.begin();) {
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
      const std::span<Index> room(rows.row.data() + rows.begin[s],
                                  rows.row.data() + rows.begin[s + 1]);
      const std::span<Index> own = room.first(supernodes.width[s]);
      std::iota(own.begin(), own.end(), column_begin[supernodes.begin[s]]);
      expand_below(column_begin, room.subspan(own.size()), rows.below[s]);
    }
  });
}

}  // namespace espalier
