// SPDX-License-Identifier: BSD-3-Clause
#include "base/graph_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/work_recorder.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

namespace {

constexpr Index side = 64;
constexpr Index vertices = side * side * side;
constexpr Index neighbours = 6;
constexpr int repetitions = 8;

/// Returns the number of a vertex of the grid. An odd multiplier permutes the numbers below a power
/// of two, and scatters the neighbours of a vertex over the arrays.
Index scattered(Index vertex) {
  constexpr unsigned multiplier = 40503;
  return static_cast<Index>(static_cast<unsigned>(vertex) * multiplier % vertices);
}

using Neighbours = std::array<Index, neighbours>;

/// Returns the grid, whose opposite faces are connected.
std::vector<Neighbours> scattered_grid() {
  std::vector<Neighbours> grid(vertices);
  for (Index vertex = 0; vertex < vertices; ++vertex) {
    Neighbours& own = grid[scattered(vertex)];
    Index* next = own.data();
    for (const Index step : {1, side, side * side}) {
      *next++ = scattered((vertex + step) % vertices);
      *next++ = scattered((vertex + vertices - step) % vertices);
    }
  }
  return grid;
}

/// Returns the last vertex that a breadth-first search from `start` finds.
Index search(const std::vector<Neighbours>& grid, Index start, std::vector<Index>& level,
             std::vector<Index>& found) {
  std::ranges::fill(level, -1);
  found.clear();
  found.push_back(start);
  level[start] = 0;
  for (std::size_t next = 0; next < found.size(); ++next) {
    const Index vertex = found[next];
    for (const Index neighbour : grid[vertex]) {
      if (level[neighbour] >= 0) continue;
      level[neighbour] = level[vertex] + 1;
      found.push_back(neighbour);
    }
  }
  return found.back();
}

}  // namespace

double graph_search_seconds() {
  const std::vector<Neighbours> grid = scattered_grid();
  std::vector<Index> level(vertices);
  std::vector<Index> found;
  found.reserve(vertices);
  double least = std::numeric_limits<double>::infinity();
  Index start = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double begin = thread_seconds();
    start = search(grid, start, level, found);
    least = std::min(least, thread_seconds() - begin);
  }
  return least;
}

}  // namespace espalier::internal
