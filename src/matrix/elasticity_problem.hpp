// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrix/sparse_matrix.hpp"

namespace espalier {

/// Stiffness of a block of x * y * z cubic trilinear elements (8 nodes, 3 displacements a node,
/// E = 1, Poisson's ratio 0.3), clamped on its face x = 0. Its order is 3 x (y + 1) (z + 1); nodes
/// are numbered with z fastest. Cost O(nnz).
SparseMatrix elasticity3d(Index x, Index y, Index z);

}  // namespace espalier
