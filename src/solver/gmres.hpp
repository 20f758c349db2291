// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Sets y to the product of a matrix B with x.
using MatrixProduct = std::function<void(std::span<const double> x, std::span<double> y)>;

/// Returns the sum of the numbers of all processes that share vectors, with the same bits on each.
using SumOfProcesses = std::function<double(double own)>;

/// The sum if one process has the whole vectors.
inline double sum_of_one(double own) { return own; }

/// Returns y for which ‖c - B y‖₂ is small. Stops after `most` steps, or if the norm is at most
/// `bound`, or if no further step can reduce it. Entries of y may be infinite or NaN if B is
/// singular. Each step takes one product and keeps one more vector. Saad and Schultz, "GMRES: A
/// generalized minimal residual algorithm for solving nonsymmetric linear systems", SIAM J. Sci.
/// Stat. Comput. 7, 1986. On several ranks, each has some entries of all vectors. No entry is on
/// two ranks, and all ranks must call it.
std::vector<double> gmres(const MatrixProduct& product, std::span<const double> c, double bound,
                          Index most, const SumOfProcesses& sum = sum_of_one);

/// Returns the 2-norm of a vector.
double norm2(std::span<const double> x, const SumOfProcesses& sum = sum_of_one);

}  // namespace espalier::internal
