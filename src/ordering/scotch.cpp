// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>
#include <scotch.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

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

/// Calls f in a thread whose stack has this many bytes. Returns false if there is no such thread.
bool call_with_stack(std::size_t bytes, std::function<void()> f) {
  const auto run = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_t thread{};
  const bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                       pthread_create(&thread, &attributes, run, &f) == 0;
  pthread_attr_destroy(&attributes);
  return started && pthread_join(thread, nullptr) == 0;
}

/// Returns the size of a stack on which Scotch can order a graph. Its halo minimum fill visits a
/// tree by recursion, for example 28000 levels deep for a star of 100000 vertices. A level takes 80
/// bytes. Only the part that is used takes memory.
std::size_t stack_for(const AdjacencyGraph& graph) {
  constexpr std::size_t per_vertex = 128;
  constexpr std::size_t beside = std::size_t{1} << 20;
  return beside + per_vertex * static_cast<std::size_t>(graph.n);
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
  int status = 1;
  const bool called = call_with_stack(stack_for(graph), [&] {
    status = SCOTCH_graphOrder(&bound.handle, &strategy.handle, nullptr, order.data(), nullptr,
                               nullptr, nullptr);
  });
  require_success(called ? status : 1, "order", graph);
  return Permutation::from_old_of({order.begin(), order.end()});
}

}  // namespace espalier::internal
