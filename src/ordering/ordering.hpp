// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ordering/compression.hpp"

namespace espalier::internal {

/// A fill-reducing ordering and the name of the method that made it ("amd", "dissection",
/// "metis", "scotch", "ptscotch", "natural", "file").
struct Ordering {
  Permutation permutation;  ///< order of the merged vertices
  std::string method;
};

/// What a factorization under an ordering would cost.
struct OrderingCost {
  double flops = 0;    ///< sum of the squared column counts
  double entries = 0;  ///< nnz(L)
};

/// The method that ranks use together; order() knows it, but refuses it.
constexpr const char* ptscotch = "ptscotch";

struct OrderingRequest {
  /// "auto", "dissection", "scotch", "metis", "amd", "natural", or the path of a permutation file.
  std::string method = "auto";
  /// Factorizations expected to follow, and the workers that will run them ("auto" weighs both;
  /// "dissection" uses as many threads).
  Index factorizations = 1;
  Index workers = 1;
  /// Predicts the cost of an ordering of merged vertices from column counts; needed by "auto" only,
  /// which asks for it once it has two orderings, and for that of AMD only where it is close.
  std::function<OrderingCost(const CompressedGraph&, const Permutation&)> predict;
};

/// Returns the names of all methods, `ptscotch` included, "auto" first.
std::vector<std::string> ordering_methods();

/// The graph of a pattern that a method orders: with indistinguishable vertices merged and, where
/// the numbering looks random, renumbered; but as it is for "natural" and files, which give every
/// vertex its own place.
CompressedGraph graph_to_order(const PatternView& pattern, const std::string& method);

/// Orders the merged vertices of a graph (Ashcraft, "Compressed graphs and the minimum degree
/// algorithm", SIAM J. Sci. Comput. 16, 1995), whose members are to be eliminated one after the
/// other; a file, which lists members, orders merged vertices by the first of them. The result
/// depends on the graph and the request alone, with "dissection" not even on the workers. Throws
/// InputError for a file that holds no permutation of the members, UsageError for an unknown
/// method and for `ptscotch`.
Ordering order(const CompressedGraph& graph, const OrderingRequest& request);

}  // namespace espalier::internal
