// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/methods.hpp"

#include <numeric>

namespace espalier {

std::vector<Index> natural_order(const AdjacencyGraph& graph) {
  std::vector<Index> order(graph.n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace espalier
