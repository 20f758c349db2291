// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

// Discretized Laplacians on regular grids with Dirichlet boundary. Points are numbered with the
// last coordinate varying fastest. Cost O(nnz).

/// 5-point Laplacian on m x m points. Each boundary point, even at a corner, counts one neighbour
/// outside the grid. Therefore the diagonal is 4, or 3 at the corners (m > 1).
SparseMatrix laplace2d(Index m);

/// 7-point Laplacian on m x m x m points: 6 on the diagonal, -1 for each neighbour along an axis.
SparseMatrix laplace3d(Index m);

/// 27-point stencil on m x m x m points: 26 on the diagonal, -1 for each of the up to 26 points
/// around.
SparseMatrix stencil27(Index m);

/// Graph Laplacian of n random points of the unit square, denser towards its left side, plus 0.001
/// on the diagonal. Each point is connected to the 6 nearest points of the cells around it. The
/// weight decreases with the distance. The matrix models unstructured thermal meshes with an
/// arbitrary numbering. Cost about O(n).
SparseMatrix irregular2d(Index n);

/// Stiffness matrix of a block of x * y * z cubic trilinear elements, clamped on its face x = 0. An
/// element has 8 nodes with 3 displacements each, E = 1, and Poisson's ratio 0.3. Order: 3 * x * (y
/// + 1) * (z + 1). Nodes are numbered with z varying fastest. Cost O(nnz).
SparseMatrix elasticity3d(Index x, Index y, Index z);

/// Returns whether the text before the first ':' (the whole text if it has none) names a generator.
bool is_generator_spec(const std::string& text);

/// Returns the names of all generators.
std::vector<std::string> generator_names();

/// Returns did_you_mean() for the text before the first ':'.
std::string nearest_generator(const std::string& text);

/// Returns the notation of all generators, separated by commas, in one line for help and messages.
std::string generator_usage();

/// Returns a symmetric positive definite test matrix:
///   laplace2d:M           5-point Laplacian on M x M points, Dirichlet boundary
///   laplace3d:M           7-point Laplacian on M x M x M points, Dirichlet boundary
///   stencil27:M           27-point stencil on M x M x M points: 26, and -1 to all neighbours
///   elasticity3d:XxYxZ    trilinear hexahedra, 3 unknowns per node, clamped at one end; X is XxXxX
///   irregular2d:N         graph Laplacian of nearest neighbours among N random points, plus 0.001
///   I
/// A spec gives the same bits everywhere if the standard library computes the same bits. Throws
/// UsageError if the spec is not in this list, or if the order would exceed 2^31 - 1.
SparseMatrix generate_matrix(const std::string& spec);

}  // namespace espalier::internal
