// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/separation.hpp"

#include <algorithm>
#include <string>

#include "espalier/error.hpp"

namespace espalier {

double SeparationCost::of(const Separation& separation) const {
  const auto& weight = separation.weight;
  const double sides = static_cast<double>(weight[0]) + weight[1];
  const double heavier = std::max(weight[0], weight[1]);
  // Balance decides between separators of about the same weight: without that, refinement drifts.
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

}  // namespace espalier
