// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "ordering/adjacency.hpp"

namespace espalier {

/// A fill-reducing ordering and the name of the method that made it ("amd", "metis", "scotch",
/// "natural", "file").
struct Ordering {
  Permutation permutation;
  std::string method;
};

/// What a factorization under an ordering would cost.
struct OrderingCost {
  double flops = 0;    ///< sum of the squared column counts
  double entries = 0;  ///< nnz(L)
};

struct OrderingRequest {
  /// "auto", "scotch", "metis", "amd", "natural", or the path of a permutation file.
  std::string method = "auto";
  /// Factorizations expected to follow, and the workers that will run them ("auto" weighs both).
  Index factorizations = 1;
  Index workers = 1;
  /// Predicts the cost of a permutation of a graph from column counts; needed by "auto" only, which
  /// asks for it, on the compressed graph where that is much smaller, once it has two orderings.
  std::function<OrderingCost(const AdjacencyGraph&, const Permutation&)> predict;
};

/// Orders the graph. "scotch" and "metis" work on the graph compressed by indistinguishable
/// vertices (Ashcraft, "Compressed graphs and the minimum degree algorithm", 1995), "amd", which
/// knows no weights, only where that at least halves the number of vertices. The result depends on
/// the graph and the request alone: two calls give the same permutation. Throws InputError for a
/// file that holds no permutation of 0..n-1, UsageError for an unknown method.
Ordering order(const AdjacencyGraph& graph, const OrderingRequest& request);

}  // namespace espalier
