// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/adjacency.hpp"
#include "ordering/ordering.hpp"

#include <span>
#include <string>
#include <vector>

namespace espalier {

/// The methods behind order(). Each returns the vertices in the order of their elimination, depends
/// on its arguments alone, and may be called from several threads.

/// As the vertices are numbered.
std::vector<Index> natural_order(const AdjacencyGraph& graph);

/// Amestoy, Davis, Duff, "An approximate minimum degree ordering algorithm", SIAM J. Matrix Anal.
/// Appl. 17, 1996.
std::vector<Index> amd_order(const AdjacencyGraph& graph);

/// Multilevel nested dissection (Karypis, Kumar, SIAM J. Sci. Comput. 20, 1998). `weight` counts
/// the columns behind each vertex; the parts of a bisection may differ from their mean by ufactor /
/// 1000. METIS draws from the C library's one random sequence, so concurrent calls wait for each
/// other. Throws UsageError for a graph that metis_accepts() refuses.
std::vector<Index> metis_order(const AdjacencyGraph& graph, std::span<const Index> weight,
                               Index ufactor);

/// Whether METIS, as installed, can count this many neighbours.
bool metis_accepts(Count neighbours);

/// Nested dissection with halo minimum fill at the leaves (Pellegrini, Roman, Amestoy, "Hybridizing
/// nested dissection and halo approximate minimum degree", Concurrency: Pract. Exper. 12, 2000).
/// Throws UsageError for a graph with more neighbours than Scotch, as installed, can count.
std::vector<Index> scotch_order(const AdjacencyGraph& graph, std::span<const Index> weight);

/// AMD, or METIS where the flops that it saves are worth its time; see automatic.cpp.
Ordering automatic_order(const AdjacencyGraph& graph, const OrderingRequest& request);

/// Reads a permutation of 0..n-1 from a file, plain or gzipped: n numbers separated by white space,
/// or a Matrix Market array; number k is the vertex eliminated k-th, counted from 0 or, where the
/// list holds n, from 1. Lines that start with '%' or '#' are comments. Throws InputError naming
/// file, line and reason.
Permutation read_permutation(const std::string& path, Index n);

}  // namespace espalier
