// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Sets y to the product of a matrix B with x.
using MatrixProduct = std::function<void(std::span<const double> x, std::span<double> y)>;

/// Returns y for which ‖c - B y‖₂ is small. Stops after `most` steps, or if the norm is at most
/// `bound`, or if no further step can reduce it. Entries of y may be infinite or NaN if B is
/// singular. Each step takes one product and keeps one more vector. Saad and Schultz, "GMRES: A
/// generalized minimal residual algorithm for solving nonsymmetric linear systems", SIAM J. Sci.
/// Stat. Comput. 7, 1986.
std::vector<double> gmres(const MatrixProduct& product, std::span<const double> c, double bound,
                          Index most);

/// Returns the 2-norm of a vector.
double norm2(std::span<const double> x);

}  // namespace espalier::internal
