// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "solver/factor_data.hpp"
#include "solver/gmres.hpp"

namespace espalier::internal {

/// The matrix S A S of a factorization that chose its pivots, and the factor of A. On several
/// ranks, each rank has the rows of vectors that it owns, and zero in other rows.
struct ScaledSystem {
  std::span<const double> scale;                     ///< S
  std::function<void(std::span<double> x)> solve{};  ///< sets x to A⁻¹ x, by the factor
  MatrixProduct product{};                           ///< with S A S
  SumOfProcesses sum = sum_of_one;
};

/// Returns n random numbers from -1 to 1, which are always the same.
std::vector<double> random_numbers(std::size_t n);

/// Returns whether A is singular to rounding: whether no x is found for which S A S x is close to
/// c, which has random entries. c has a component of about 1/2 in the direction of every null
/// vector, and no x can change it. The factor is that of a matrix that differs from S A S by its
/// replaced pivots, so that GMRES with the factor takes about one step for each. Cost: at most 41
/// solves and as many vectors. All ranks must call it, each with its rows of c.
bool is_singular(const ScaledSystem& system, std::vector<double> c);

/// Does this for a factor of one process. All tasks must have ended.
bool is_singular(const FactorData& data);

}  // namespace espalier::internal
