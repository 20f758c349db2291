// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrix/sparse_matrix.hpp"

namespace espalier {

/// Graph Laplacian of n random points of the unit square, denser towards its left side, each tied
/// to the 6 nearest points of the cells around it with a weight that falls with the distance; plus
/// 0.001 on the diagonal. Stands for unstructured thermal meshes in an arbitrary numbering. Cost
/// about O(n).
SparseMatrix irregular2d(Index n);

}  // namespace espalier
