// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/matrix_part.hpp"
#include "ordering/compression.hpp"
#include "runtime/mpi/communicator.hpp"

namespace espalier::internal {

/// One rank's part of a compressed graph: the neighbours and weights of some vertices. The division
/// renumbers the vertices: the vertices of a rank are consecutive, in the order of the ranks.
struct GraphPart {
  std::vector<Count> begin{0};   ///< offsets of the vertices of the rank, and one for the end
  std::vector<Index> neighbour;  ///< in the numbering of the division, ascending
  std::vector<Index> weight;

  Index vertices() const { return static_cast<Index>(weight.size()); }
};

/// A part. On the root, also the vertex of the graph for each vertex of the division.
struct DividedGraph {
  GraphPart part;
  std::vector<Index> vertex;
};

/// Divides a graph of the root; the other ranks pass null. Ranks get consecutive vertices, with
/// about the same number of vertices and neighbours together. Collective.
DividedGraph divide_graph(const Communicator& comm, const CompressedGraph* graph);

/// Divides the compressed graph of a matrix whose parts are on the ranks. Each rank gets the merged
/// vertices whose first member is a column of its part, and finds their neighbours in the parts of
/// all ranks. The root passes the graph and the rank of each column; the other ranks pass null and
/// an empty array. The other ranks need memory for their parts and for one number per column.
/// Collective.
DividedGraph divide_graph(const Communicator& comm, const CompressedGraph* graph,
                          std::span<const Index> rank_of_column, const MatrixPart& part);

/// Computes a nested dissection by all ranks together, with minimum fill in small parts (Chevalier,
/// Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering", Parallel Computing 34,
/// 2008). Returns on the root the position of each vertex of the division in the order of
/// elimination. The result is the same for each call with the same parts. Throws UsageError if the
/// graph has more neighbours than the installed Scotch can count. Collective.
std::vector<Index> ptscotch_places(const Communicator& comm, const GraphPart& part);

}  // namespace espalier::internal
