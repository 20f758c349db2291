// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "bindings/pardiso/statistics.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// A matrix and right-hand sides as callers of Panua's PARDISO pass them.
struct CallerSystem {
  const std::int32_t* mtype = nullptr;
  const std::int32_t* n = nullptr;
  const double* a = nullptr;
  const std::int32_t* ia = nullptr;
  const std::int32_t* ja = nullptr;
  const std::int32_t* nrhs = nullptr;
  const double* b = nullptr;
};

/// Throws UsageError or InputError unless the matrix is an upper triangle of a supported type, with
/// finite values. Returns facts about it.
MatrixFacts checked_matrix(const CallerSystem& system);

/// Throws UsageError or InputError unless all entries of the right-hand sides are finite. Adds
/// facts about them.
void check_vectors(const CallerSystem& system, MatrixFacts& facts);

}  // namespace espalier::internal
