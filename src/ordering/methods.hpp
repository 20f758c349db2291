// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ordering/compression.hpp"
#include "ordering/ordering.hpp"

namespace espalier::internal {

// The methods behind order(); dissection has a header of its own. Permutations are of the merged
// vertices. The result of each depends on its arguments alone, and each may be called from several
// threads.

struct MinimumDegree {
  Permutation permutation;
  OrderingCost estimate;  ///< an upper bound from the approximate degrees, without column counts
};

/// Amestoy, Davis, Duff, "An approximate minimum degree ordering algorithm", SIAM J. Matrix Anal.
/// Appl. 17, 1996. AMD knows no weights; so it is given the compressed graph only where at least
/// two vertices are merged into one on average, and otherwise the original one.
MinimumDegree amd_ordering(const CompressedGraph& compressed);

/// Returns the parameter of AMD and CAMD for dense rows. Vertices with more than this factor times
/// sqrt(n) neighbours, and more than 16, are eliminated last. The limit is ten times the mean
/// number of neighbours, but at least sqrt(n) and at most 10 sqrt(n), which is AMD's default. With
/// the default AMD takes much longer if there are hubs, and L is hardly smaller.
double dense_degree_factor(Index n, Count neighbours);

/// Multilevel nested dissection (Karypis, Kumar, "A fast and high quality multilevel scheme for
/// partitioning irregular graphs", SIAM J. Sci. Comput. 20, 1998). METIS draws from the one random
/// sequence of the C library: concurrent calls wait for each other, and a thread of the application
/// that calls rand() meanwhile changes the result. Throws UsageError for a graph that
/// metis_accepts() refuses.
Permutation metis_ordering(const CompressedGraph& compressed);

/// Whether METIS, as installed, can count this many neighbours.
bool metis_accepts(Count neighbours);

/// Nested dissection with halo minimum fill in small parts (Pellegrini, Roman, Amestoy,
/// "Hybridizing nested dissection and halo approximate minimum degree for efficient sparse matrix
/// ordering", Concurrency: Pract. Exper. 12, 2000). Throws UsageError for a graph with more
/// neighbours than Scotch, as installed, can count.
Permutation scotch_ordering(const CompressedGraph& compressed);

/// AMD, unless dissection promises to save more time in the factorizations than it takes; then the
/// better of both by request.predict. AMD is that of the halves of a large graph where a small
/// separator makes them, for any number of workers, of which two share it; elsewhere dissection
/// begins beside AMD.
Ordering automatic_ordering(const CompressedGraph& graph, const OrderingRequest& request);

/// Reads a permutation of 0..n-1 from a file, plain or gzipped: n numbers separated by white space,
/// or a Matrix Market array of one column; number k is the vertex eliminated k-th, counted from 0
/// or, where the list holds n, from 1. Lines that start with '%' or '#' are comments. Throws
/// InputError naming file, line and reason.
Permutation read_permutation(const std::string& path, Index n);

/// Nested dissection (George, "Nested dissection of a regular finite element mesh", SIAM J. Numer.
/// Anal. 10, 1973) by multilevel vertex separators, down to parts of a few hundred vertices, which
/// minimum degree with halo orders. `threads` threads share the parts; the result is the same for
/// any number of them, and on every call. Returns an ordering of the merged vertices. Throws
/// UsageError for a graph with 2^31 neighbours or more.
Permutation dissection_ordering(const CompressedGraph& compressed, Index threads);

/// Makes that ordering if `worthwhile` says so: it is called once, before the first separator where
/// there is one thread, else beside it; nothing is returned where it denies.
std::optional<Permutation> dissection_ordering_if(const CompressedGraph& compressed, Index threads,
                                                  const std::function<bool()>& worthwhile);

/// Whether dissection can count this many neighbours.
bool dissection_accepts(Count neighbours);

/// Minimum degree of the halves of a graph, each with its halo, on two threads where there are two
/// workers, and last of the separator between them. The separator is a front of a breadth-first
/// search, refined: larger than dissection would find it, for a tenth of the time. Nothing where a
/// graph is too small to gain, or its separator too large. The result does not depend on the
/// workers. It takes three quarters of the time of AMD, nine tenths with one worker, and L takes 36
/// % more flops on irregular2d:300000, 18 % on irregular2d:1000000.
std::optional<MinimumDegree> bisected_minimum_degree(const CompressedGraph& graph,
                                                     const OrderingRequest& request);

}  // namespace espalier::internal
