// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrix/sparse_matrix.hpp"

namespace espalier {

// Discretized Laplacians on regular grids with Dirichlet boundary. Points are numbered with the
// last coordinate fastest. Cost O(nnz).

/// 5-point Laplacian on m x m points; a point on the boundary has one neighbour outside, even in a
/// corner, so that the diagonal is 4 but for the corners, where it is 3 (m > 1).
SparseMatrix laplace2d(Index m);

/// 7-point Laplacian on m x m x m points: 6 on the diagonal, -1 for each neighbour along an axis.
SparseMatrix laplace3d(Index m);

/// 26 on the diagonal and -1 for each of the up to 26 points around, on m x m x m points.
SparseMatrix stencil27(Index m);

}  // namespace espalier
