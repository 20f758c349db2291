// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

// Points, edges and cells of regular grids are numbered with the last coordinate varying fastest.

// Discretized Laplacians on regular grids with Dirichlet boundary. Cost O(nnz).

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

/// Stokes equations on the unit square with viscosity 1 and walls (velocity 0), by finite
/// differences on a staggered grid of m x m cells, m >= 2. Source: Harlow and Welch, "Numerical
/// calculation of time-dependent viscous incompressible flow of fluid with free surface", Physics
/// of Fluids 8, 1965. The unknowns are m (m - 1) velocities along x, on the edges between two
/// cells, then m (m - 1) velocities along y, then m * m - 1 pressures in the cells. The pressure of
/// the last cell is 0 and left out: pressures are determined up to a constant, so the matrix with
/// all of them is singular. With h = 1/m, the equations of the velocities are multiplied by h^2 and
/// the pressures by h. So all entries are whole numbers: 4 or 5 and -1 among velocities, -1 or 1
/// between a velocity and a pressure, and a stored 0 on the diagonal of each pressure. The matrix
/// has one positive eigenvalue per velocity and one negative eigenvalue per pressure. Cost O(nnz).
SparseMatrix stokes2d(Index m);

/// Mixed form of Poisson's equation on the unit square, m x m square cells, potential 0 on the
/// boundary: Raviart-Thomas elements of lowest order. Source: Raviart and Thomas, "A mixed finite
/// element method for 2-nd order elliptic problems", Lecture Notes in Mathematics 606, 1977. The
/// unknowns are m (m + 1) fluxes along x, through all edges normal to x, then m (m + 1) fluxes
/// along y, then m * m potentials in the cells. A flux is the integral over its edge, so entries do
/// not depend on m: 2/3 (1/3 on the boundary) and 1/6 among fluxes, -1 or 1 between a flux and a
/// potential, and a stored 0 on the diagonal of each potential. The matrix has one positive
/// eigenvalue per flux and one negative eigenvalue per potential. Cost O(nnz).
SparseMatrix mixed2d(Index m);

/// Helmholtz operator -Laplacian - k^2 on the unit cube with m x m x m points inside, Dirichlet
/// boundary, multiplied by h^2, h = 1 / (m + 1): laplace3d(m) - (k h)^2 I. The wave number k gives
/// 10 points per wavelength, k h = 2 pi / 10. For a, b, c from 1 to m it has the eigenvalue s(a) +
/// s(b) + s(c) - (k h)^2 with s(i) = 2 - 2 cos(i pi / (m + 1)). At least one of them is negative if
/// m >= 8. Cost O(nnz).
SparseMatrix helmholtz3d(Index m);

/// Returns whether the text before the first ':' (the whole text if it has none) names a generator.
bool is_generator_spec(const std::string& text);

/// Returns the names of all generators.
std::vector<std::string> generator_names();

/// Returns did_you_mean() for the text before the first ':'.
std::string nearest_generator(const std::string& text);

/// Returns the notation of all generators, in one line for help and messages. The generators of
/// indefinite matrices come last, after the word "indefinite".
std::string generator_usage();

/// Returns a symmetric test matrix. These are positive definite:
///   laplace2d:M           5-point Laplacian on M x M points, Dirichlet boundary
///   laplace3d:M           7-point Laplacian on M x M x M points, Dirichlet boundary
///   stencil27:M           27-point stencil on M x M x M points: 26, and -1 to all neighbours
///   elasticity3d:XxYxZ    trilinear hexahedra, 3 unknowns per node, clamped at one end; X is XxXxX
///   irregular2d:N         graph Laplacian of nearest neighbours among N random points, plus 0.001
///   I
/// These are indefinite, so that A = L Lᵀ fails:
///   stokes2d:M            Stokes equations on M x M cells, M >= 2: velocities, pressures
///   mixed2d:M             mixed Poisson equation on M x M cells: fluxes, potentials
///   helmholtz3d:M         Helmholtz operator on M x M x M points; indefinite if M >= 8
/// A spec gives the same bits everywhere if the standard library computes the same bits. Throws
/// UsageError if the spec is not in these lists, or if the order would be 0 or exceed 2^31 - 1.
SparseMatrix generate_matrix(const std::string& spec);

}  // namespace espalier::internal
