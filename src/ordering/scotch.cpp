// SPDX-License-Identifier: BSD-3-Clause
#include <scotch.h>

#include <limits>
#include <string>

#include "espalier/error.hpp"
#include "ordering/methods.hpp"
#include "ordering/scotch_objects.hpp"

namespace espalier::internal {

namespace {

/// Strategy of Scotch: multilevel vertex separators (graph growing, then Fiduccia-Mattheyses) down
/// to parts of 200 columns, which halo minimum fill orders.
constexpr const char* dissection_strategy =
    "n{sep=/(vert>200)?m{vert=120,low=h{pass=5},asc=f{bal=0.2,pass=3}};,"
    "ole=f{cmin=0,cmax=100000,frat=0.0},ose=g}";

void require_success(int status, const char* step, const AdjacencyGraph& graph) {
  if (status != 0) {
    throw MemoryError("Scotch could not " + std::string(step) + " a graph of " +
                      std::to_string(graph.n) + " vertices and " +
                      std::to_string(graph.neighbour.size()) +
                      " neighbours; choose the ordering amd, which needs less memory");
  }
}

}  // namespace

Permutation scotch_ordering(const CompressedGraph& compressed) {
  const AdjacencyGraph& graph = compressed.graph;
  const Count neighbours = static_cast<Count>(graph.neighbour.size());
  if (neighbours == 0) {
    return Permutation::identity(graph.n);
  }
  if (neighbours > std::numeric_limits<SCOTCH_Num>::max()) {
    throw UsageError("Scotch counts in " + std::to_string(8 * sizeof(SCOTCH_Num)) +
                     " bits here and cannot order a graph with " + std::to_string(neighbours) +
                     " neighbours; choose the ordering amd");
  }
  const std::vector<SCOTCH_Num> begin(graph.begin.begin(), graph.begin.end());
  const std::vector<SCOTCH_Num> neighbour(graph.neighbour.begin(), graph.neighbour.end());
  const std::vector<SCOTCH_Num> weight(compressed.weight.begin(), compressed.weight.end());
  std::vector<SCOTCH_Num> order(graph.n);

  ScotchContext context;
  ScotchStrategy strategy;
  const bool prepared =
      prepare_scotch(context, strategy, SCOTCH_stratGraphOrder, dissection_strategy);
  require_success(prepared ? 0 : 1, "prepare for", graph);
  ScotchGraph unbound;
  ScotchGraph bound;
  require_success(
      SCOTCH_graphBuild(&unbound.handle, 0, graph.n, begin.data(), nullptr, weight.data(), nullptr,
                        static_cast<SCOTCH_Num>(neighbours), neighbour.data(), nullptr),
      "take", graph);
  require_success(SCOTCH_contextBindGraph(&context.handle, &unbound.handle, &bound.handle), "bind",
                  graph);
  require_success(SCOTCH_graphOrder(&bound.handle, &strategy.handle, nullptr, order.data(), nullptr,
                                    nullptr, nullptr),
                  "order", graph);
  return Permutation::from_old_of({order.begin(), order.end()});
}

}  // namespace espalier::internal
