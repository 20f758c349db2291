// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/matrix_part.hpp"
#include "ordering/compression.hpp"
#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

/// What one rank has of a compressed graph that is divided among ranks: the neighbours and weights
/// of some vertices. The division numbers vertices anew: those of a rank are consecutive, ranks
/// follow each other.
struct GraphPart {
  std::vector<Count> begin{0};   ///< one offset more than the rank has vertices
  std::vector<Index> neighbour;  ///< in the numbering of the division, ascending
  std::vector<Index> weight;

  Index vertices() const { return static_cast<Index>(weight.size()); }
};

/// A part, and on the root the vertex of the graph that each one of the division is.
struct DividedGraph {
  GraphPart part;
  std::vector<Index> vertex;
};

/// Divides a graph that the root has; the others give null. Ranks get consecutive vertices with
/// about as many neighbours each. Collective.
DividedGraph divide_graph(const Communicator& comm, const CompressedGraph* graph);

/// Divides the compressed graph of a matrix in parts: each rank has the merged vertices whose first
/// members are columns of its part, and finds their neighbours in the parts. The root gives the
/// graph and the rank that has each column, the others null and nothing. Memory of the others is
/// that of their parts and one number for each column. Collective.
DividedGraph divide_graph(const Communicator& comm, const CompressedGraph* graph,
                          std::span<const Index> rank_of_column, const MatrixPart& part);

/// Computes a nested dissection by all ranks together, with minimum fill in small parts (Chevalier,
/// Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering", Parallel Computing 34,
/// 2008). Returns on the root the places of the vertices of the division in the order of
/// elimination; the same on every call with the same parts. Throws UsageError for a graph with more
/// neighbours than Scotch, as installed, can count. Collective.
std::vector<Index> ptscotch_places(const Communicator& comm, const GraphPart& part);

}  // namespace espalier::internal
