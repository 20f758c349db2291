// SPDX-License-Identifier: BSD-3-Clause
#include <scotch.h>

#include <limits>
#include <mutex>
#include <string>

#include "espalier/error.hpp"
#include "ordering/methods.hpp"

namespace espalier {

namespace {

/// Vertex separators by a multilevel method (graph growing, then Fiduccia-Mattheyses) down to parts
/// of 200 columns, which halo minimum fill orders.
constexpr const char* dissection_strategy =
    "n{sep=/(vert>200)?m{vert=120,low=h{pass=5},asc=f{bal=0.2,pass=3}};,"
    "ole=f{cmin=0,cmax=100000,frat=0.0},ose=g}";

constexpr SCOTCH_Num seed = 1;

void require_success(int status, const char* step, const AdjacencyGraph& graph) {
  if (status != 0) {
    throw MemoryError("Scotch could not " + std::string(step) + " a graph of " +
                      std::to_string(graph.n) + " vertices and " +
                      std::to_string(graph.neighbour.size()) +
                      " neighbours; choose the ordering amd, which needs less memory");
  }
}

/// Scotch's objects, released in reverse order of their making.
struct Strategy {
  Strategy() { SCOTCH_stratInit(&handle); }
  ~Strategy() { SCOTCH_stratExit(&handle); }
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  SCOTCH_Strat handle;
};

struct Context {
  Context() { SCOTCH_contextInit(&handle); }
  ~Context() { SCOTCH_contextExit(&handle); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  SCOTCH_Context handle;
};

struct Graph {
  Graph() { SCOTCH_graphInit(&handle); }
  ~Graph() { SCOTCH_graphExit(&handle); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  SCOTCH_Graph handle;
};

/// One thread and one seed, so that results repeat. Scotch clones a global generator and parses
/// strategies with static state: one caller at a time.
void prepare(Context& context, Strategy& strategy, const AdjacencyGraph& graph) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  require_success(SCOTCH_contextRandomClone(&context.handle), "seed", graph);
  SCOTCH_contextRandomSeed(&context.handle, seed);
  require_success(SCOTCH_contextThreadSpawn(&context.handle, 1, nullptr), "start on", graph);
  require_success(SCOTCH_stratGraphOrder(&strategy.handle, dissection_strategy), "plan for", graph);
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

  Context context;
  Strategy strategy;
  prepare(context, strategy, graph);
  Graph unbound;
  Graph bound;
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

}  // namespace espalier
