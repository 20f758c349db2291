// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>

#include "espalier/types.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

/// A x = b with the factor of A, as a solve sees it: in a process alone, or the part of one of
/// several ranks. Vectors are those of a block of right-hand sides, in the rows that the process
/// has. Ranks call all functions in the same order.
class LinearSystem {
 public:
  LinearSystem() = default;
  LinearSystem(const LinearSystem&) = delete;
  LinearSystem& operator=(const LinearSystem&) = delete;
  virtual ~LinearSystem() = default;

  /// Returns how many processes solve together.
  virtual Index processes() const = 0;
  /// Returns the least value that any of them gives.
  virtual Index least_of_all(Index own) const = 0;
  /// Calls check(), and throws in all of them if it throws in one.
  virtual void agree(const std::function<void()>& check) const = 0;

  /// Returns the infinity norm of A.
  virtual double norm() const = 0;
  /// Sets x to (L Lᵀ)⁻¹ b, which may be the same vectors.
  virtual void solve(std::span<const double> b, std::span<double> x, Index columns) = 0;
  /// Sets r to b - A x, and returns the worst backward error of the columns. Rows of x that another
  /// rank keeps become complete.
  virtual double residual(const RefinedVectors& vectors, double norm, Index columns) const = 0;
  /// Returns the same without r.
  virtual double error(std::span<const double> b, std::span<double> x, double norm,
                       Index columns) const = 0;
};

}  // namespace espalier::internal
