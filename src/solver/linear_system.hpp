// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>

#include "espalier/types.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

/// The system A x = b with the factor of A, in one process or on one of several ranks. Vectors
/// belong to a block of right-hand sides and have the rows of this process. All ranks must call all
/// functions in the same order.
class LinearSystem {
 public:
  LinearSystem() = default;
  LinearSystem(const LinearSystem&) = delete;
  LinearSystem& operator=(const LinearSystem&) = delete;
  virtual ~LinearSystem() = default;

  /// Returns the number of processes that solve together.
  virtual Index processes() const = 0;
  /// Returns the smallest of the values of all processes.
  virtual Index least_of_all(Index own) const = 0;
  /// Calls check() in each process. If it throws in one of them, all throw.
  virtual void agree(const std::function<void()>& check) const = 0;

  /// Returns the infinity norm of A.
  virtual double norm() const = 0;
  /// Sets x to (L Lᵀ)⁻¹ b. b and x may be the same vectors.
  virtual void solve(std::span<const double> b, std::span<double> x, Index columns) = 0;
  /// Sets r to b - A x, and returns the largest backward error of the columns. Also fetches the
  /// rows of x that other ranks have.
  virtual double residual(const RefinedVectors& vectors, double norm, Index columns) const = 0;
  /// Returns the largest backward error of the columns, without storing r.
  virtual double error(std::span<const double> b, std::span<double> x, double norm,
                       Index columns) const = 0;
};

}  // namespace espalier::internal
