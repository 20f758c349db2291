// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "espalier/separator_tree.hpp"
#include "ordering/compression.hpp"
#include "ordering/ordering.hpp"

namespace espalier::internal {

// Methods of order(). Permutations are of merged vertices. The result of a method depends only on
// its arguments. Several threads may call a method at the same time.

struct MinimumDegree {
  Permutation permutation;
  OrderingCost estimate;  ///< upper bound from the approximate degrees, without column counts
};

/// Returns AMD's ordering (Amestoy, Davis, Duff, "An approximate minimum degree ordering
/// algorithm", SIAM J. Matrix Anal. Appl. 17, 1996). AMD ignores weights. Therefore it gets the
/// compressed graph only if on average at least two vertices are merged into one. Otherwise it gets
/// the original graph.
MinimumDegree amd_ordering(const CompressedGraph& compressed);

/// Returns the parameter of AMD and CAMD for dense rows. Vertices with more than this factor times
/// sqrt(n) neighbours, and more than 16, are eliminated last. The limit is ten times the mean
/// number of neighbours, but at least sqrt(n) and at most 10 sqrt(n), which is AMD's default. With
/// the default, AMD takes much longer on graphs with hubs, and L is hardly smaller.
double dense_degree_factor(Index n, Count neighbours);

/// Returns METIS's multilevel nested dissection (Karypis, Kumar, "A fast and high quality
/// multilevel scheme for partitioning irregular graphs", SIAM J. Sci. Comput. 20, 1998). METIS uses
/// the global random sequence of the C library. Therefore concurrent calls wait for each other, and
/// an application thread that calls rand() at the same time changes the result. Throws UsageError
/// if metis_accepts() refuses the graph.
Permutation metis_ordering(const CompressedGraph& compressed);

/// Returns whether the installed METIS can count this many neighbours.
bool metis_accepts(Count neighbours);

/// Returns Scotch's nested dissection with halo minimum fill in small parts (Pellegrini, Roman,
/// Amestoy, "Hybridizing nested dissection and halo approximate minimum degree for efficient sparse
/// matrix ordering", Concurrency: Pract. Exper. 12, 2000). Throws UsageError if the installed
/// Scotch cannot count the neighbours of the graph.
Permutation scotch_ordering(const CompressedGraph& compressed);

/// Returns AMD's ordering, unless dissection is expected to save more time in the factorizations
/// than it takes, or is required (dissection_is_required()). In that case this function
/// computes both orderings and returns the better one by request.predict. For a large graph with a
/// small separator, AMD orders the halves, on two threads if there are two workers. Otherwise
/// dissection starts while AMD runs. With many workers, dissection is faster than AMD. In that case
/// AMD runs only if it may still save more time than it takes.
Ordering automatic_ordering(const CompressedGraph& graph, const OrderingRequest& request);

/// A nested dissection: the order of the merged vertices and the tree of its parts.
struct DissectedOrder {
  Permutation permutation;
  std::vector<TreePart> part;
};

/// Returns a nested dissection (George, "Nested dissection of a regular finite element mesh", SIAM
/// J. Numer. Anal. 10, 1973) of the merged vertices. Multilevel vertex separators divide the graph
/// down to parts of a few hundred vertices, which minimum degree with halo orders. `threads`
/// threads share the parts. The result does not depend on their number. Throws UsageError for a
/// graph with 2^31 neighbours or more.
DissectedOrder dissection_ordering(const CompressedGraph& compressed, Index threads);

/// Returns the same ordering, or nothing if `worthwhile` returns false. `worthwhile` is called
/// once: before the first separator if there is one thread, and in parallel with it otherwise.
std::optional<DissectedOrder> dissection_ordering_if(const CompressedGraph& compressed,
                                                     Index threads,
                                                     const std::function<bool()>& worthwhile);

/// Returns whether dissection can count this many neighbours.
bool dissection_accepts(Count neighbours);

/// Orders a graph by minimum degree in two halves, each with its halo, on two threads if there are
/// two workers. The separator between them comes last. The separator is a refined front of a
/// breadth-first search. It is larger than the separator that dissection finds, but takes a tenth
/// of the time to find. L has more flops than with AMD.
///
/// Returns nothing if the graph is too small or its separator too large. The result does not depend
/// on the number of workers.
std::optional<MinimumDegree> bisected_minimum_degree(const CompressedGraph& graph,
                                                     const OrderingRequest& request);

}  // namespace espalier::internal
