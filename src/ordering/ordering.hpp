// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "espalier/separator_tree.hpp"
#include "ordering/compression.hpp"

namespace espalier::internal {

/// Fill-reducing ordering, with the name of the method that made it ("amd", "dissection", "metis",
/// "scotch", "ptscotch", "natural", "file").
struct Ordering {
  Permutation permutation;  ///< elimination order of the merged vertices
  std::string method;
  /// Tree of separators, with positions of merged vertices; empty if the order has none.
  std::vector<TreePart> part = {};
};

/// Cost of a factorization under an ordering.
struct OrderingCost {
  double flops = 0;    ///< sum of the squared column counts
  double entries = 0;  ///< nnz(L)
};

/// Method that ranks use together. order() knows the name, but refuses it.
constexpr const char* ptscotch = "ptscotch";

struct OrderingRequest {
  /// "auto", "dissection", "scotch", "metis", "amd", "natural", or the path of a permutation file.
  std::string method = "auto";
  /// Number of factorizations expected to follow, and number of workers that will run them. "auto"
  /// weighs both. "dissection" uses at most `workers` threads.
  Index factorizations = 1;
  Index workers = 1;
  /// Predicts the cost of an ordering of merged vertices from column counts. Only "auto" needs it,
  /// to compare a dissection with AMD's ordering. "auto" calls it for AMD's ordering only if the
  /// dissection takes at least half of the time that AMD estimates for its own ordering.
  std::function<OrderingCost(const CompressedGraph&, const Permutation&)> predict;
};

/// Returns the names of all methods, `ptscotch` included, "auto" first.
std::vector<std::string> ordering_methods();

/// Returns whether a method orders merged columns: all methods but "natural" and files without
/// parts, which place every column separately.
bool merges_columns(const std::string& method);

/// Returns the graph that a method orders. Indistinguishable vertices are merged, and a numbering
/// that looks random is replaced. For "natural" and for files without parts, which place every
/// vertex separately, the graph stays unchanged.
///
/// With matched columns, pairs are merged for every method (merge_pairs()). The result does not
/// depend on the workers.
CompressedGraph graph_to_order(const PatternView& pattern, const std::string& method,
                               MatchedColumns matched = {}, Index workers = 1);

/// Orders the merged vertices of a graph (Ashcraft, "Compressed graphs and the minimum degree
/// algorithm", SIAM J. Sci. Comput. 16, 1995). The members of a merged vertex are eliminated one
/// after the other. A file lists members. Merged vertices are then ordered by their first member in
/// the file. Vertices that come before one of their predecessors move behind it. The result depends
/// only on the graph and the request. With "dissection" it does not depend on the workers.
///
/// Throws InputError if a file has no permutation of the members, or has parts that do not separate
/// the graph. Throws UsageError for an unknown
/// method and for `ptscotch`.
Ordering order(const CompressedGraph& graph, const OrderingRequest& request);

/// Returns the order of the columns with its tree. If the method merges indistinguishable columns,
/// the tree has at least one part.
SeparatorTree separator_tree(const CompressedGraph& graph, const Ordering& ordering);

}  // namespace espalier::internal
