// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/factor_parts.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Facts about the phases of one call, for its table. A time is negative if the phase did not run.
struct Statistics {
  Index n = 0;
  Count entries = 0;  ///< of the upper triangle
  double analysis_seconds = -1;
  bool analysis_reused = false;  ///< the pattern was known from an earlier call
  std::string ordering{};
  Count factor_entries = 0;
  double flops = 0;
  double factor_seconds = -1;
  Index workers = 0;
  bool indefinite = false;  ///< whether the next two fields are known
  Inertia inertia{};
  Count perturbed = 0;  ///< number of perturbed pivots
  double solve_seconds = -1;
  Count nrhs = 0;
  Count refinement_steps = -1;  ///< negative if unknown, as for solves in parts
  double backward_error = 0;    ///< known if the number of refinement steps is
};

/// Facts about a matrix and right-hand sides.
struct MatrixFacts {
  Index n = 0;
  Count entries = 0;           ///< of the upper triangle
  Count missing_diagonal = 0;  ///< number of rows without a diagonal entry
  double smallest = 0;         ///< smallest magnitude of an entry
  double largest = 0;          ///< largest magnitude of an entry
  double smallest_diagonal = 0;
  double largest_diagonal = 0;
  Count nrhs = 0;
  double largest_rhs = 0;  ///< largest magnitude in the right-hand sides
};

}  // namespace espalier::internal
