// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "matrix/sparse_matrix.hpp"

namespace espalier {

/// Whether the text before the first ':' (all of it, without one) names a generator.
bool is_generator_spec(const std::string& text);

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

}  // namespace espalier
