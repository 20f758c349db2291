// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "ordering/adjacency.hpp"
#include "ordering/ordering.hpp"

namespace espalier::internal {

/// Orders small parts of a graph by approximate minimum degree with halo. The halo consists of the
/// vertices around the part. They are eliminated after the part, but count in the degrees of its
/// vertices. Pellegrini, Roman, Amestoy, "Hybridizing nested dissection and halo approximate
/// minimum degree for efficient sparse matrix ordering", Concurrency: Pract. Exper. 12, 2000. The
/// object has workspace for one caller at a time.
class HaloMinimumDegree {
 public:
  explicit HaloMinimumDegree(const AdjacencyGraph& graph)
      : graph_(graph), local_(graph.n, outside) {}

  /// Permutes the vertices of a part into an elimination order. Returns an upper bound of its cost,
  /// including the halo, as if every vertex were one column.
  OrderingCost order(std::span<Index> part);

 private:
  static constexpr Index outside = -1;

  void number(std::span<const Index> part);
  void count_neighbours(Index part_size);
  void list_neighbours(Index part_size);
  OrderingCost eliminate(Index part_size);

  const AdjacencyGraph& graph_;
  std::vector<Index> local_;   ///< number of a vertex within part and halo, or `outside`
  std::vector<Index> vertex_;  ///< vertices of the part, then of its halo
  std::vector<int> begin_, length_, lists_, work_;
  int neighbours_ = 0;  ///< total length of all lists
};

}  // namespace espalier::internal
