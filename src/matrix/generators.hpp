// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

// Discretized Laplacians on regular grids with Dirichlet boundary. Points are numbered with the
// last coordinate fastest. Cost O(nnz).

/// 5-point Laplacian on m x m points; a point on the boundary has one neighbour outside, even in a
/// corner, so that the diagonal is 4 but for the corners, where it is 3 (m > 1).
SparseMatrix laplace2d(Index m);

/// 7-point Laplacian on m x m x m points: 6 on the diagonal, -1 for each neighbour along an axis.
SparseMatrix laplace3d(Index m);

/// 26 on the diagonal and -1 for each of the up to 26 points around, on m x m x m points.
SparseMatrix stencil27(Index m);

/// Graph Laplacian of n random points of the unit square, denser towards its left side, each tied
/// to the 6 nearest points of the cells around it with a weight that falls with the distance; plus
/// 0.001 on the diagonal. Stands for unstructured thermal meshes in an arbitrary numbering. Cost
/// about O(n).
SparseMatrix irregular2d(Index n);

/// Stiffness of a block of x * y * z cubic trilinear elements (8 nodes, 3 displacements a node,
/// E = 1, Poisson's ratio 0.3), clamped on its face x = 0. Its order is 3 x (y + 1) (z + 1); nodes
/// are numbered with z fastest. Cost O(nnz).
SparseMatrix elasticity3d(Index x, Index y, Index z);

/// Whether the text before the first ':' (all of it, without one) names a generator.
bool is_generator_spec(const std::string& text);

/// Returns the names of all generators.
std::vector<std::string> generator_names();

/// Returns did_you_mean() for the text before the first ':'.
std::string nearest_generator(const std::string& text);

/// What a spec looks like, for help and messages: one line, generators separated by commas.
std::string generator_usage();

/// A symmetric positive definite test matrix:
///   laplace2d:M           5-point Laplacian on M x M points, Dirichlet boundary
///   laplace3d:M           7-point Laplacian on M x M x M points, Dirichlet boundary
///   stencil27:M           27-point stencil on M x M x M points: 26, and -1 to all neighbours
///   elasticity3d:XxYxZ    trilinear hexahedra, 3 unknowns a node, clamped at one end; X is XxXxX
///   irregular2d:N         graph Laplacian of nearest neighbours among N random points, plus 0.001
///   I
/// The same spec gives the same bits wherever the standard library does. Throws UsageError for a
/// spec that is none of these or whose order would pass 2^31 - 1.
SparseMatrix generate_matrix(const std::string& spec);

}  // namespace espalier::internal
